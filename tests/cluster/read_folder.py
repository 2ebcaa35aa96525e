"""Compares the folder of a solve by several processes with a NumPy archive of the same solution.

    python read_folder.py FOLDER ARCHIVE CHUNKS     CHUNKS: number of finished chunks, of 4 trajectories each
"""

import sys
import warnings
from pathlib import Path

import numpy
import xarray

# A file that is no array causes a warning.
warnings.simplefilter("error")
folder, archive, chunks = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])


def read():
    return xarray.open_zarr(folder, consolidated=False)


ds, data = read(), numpy.load(archive)
finished = ds.finished.values.ravel() != ""
assert finished.sum() == chunks
# A chunk with files and without mark may be in progress.
solved = numpy.repeat(finished, 4)[: ds.sizes["trajectory"]]
assert ds.attrs["complete"] == solved.all()
assert ds.attrs.get("solved", 0) == (solved.size if solved.all() else 0)
for name in ["u0", "p", "tspan", "u", "u_end", "t_end", "code", "accepted", "rejected"]:
    array = ds[name].values
    assert ds[name].dims[0] == "trajectory" and array.dtype == data[name].dtype, name
    numpy.testing.assert_array_equal(array[solved], data[name][solved], name)
    fill = {"f": numpy.nan, "u": numpy.iinfo(array.dtype).max if array.dtype.kind == "u" else 0}
    numpy.testing.assert_array_equal(array[~solved], numpy.full_like(array[~solved], fill[array.dtype.kind]), name)
assert ds.u.dims == ("trajectory", "time", "state")
numpy.testing.assert_array_equal(ds.time, data["t"])
assert list(ds.state.values) == list(data["state_names"])
assert ds.attrs["system"] == "forced" and ds.attrs["method"] == "Tsit5"
assert "chunk = 4" in ds.attrs["manifest"] and ds.attrs["manifest"][0].startswith("odes = ")

# A changed byte is an error.
for file in ["u_end/c.0.0", "finished/c/0/0"]:
    sound = (folder / file).read_bytes()
    (folder / file).write_bytes(bytes([sound[0] ^ 1]) + sound[1:])
    try:
        read()[file.split("/")[0]].load()
    except ValueError as error:
        assert "checksum" in str(error).lower(), error
    else:
        raise AssertionError(f"{file}: a changed byte was not noticed")
    (folder / file).write_bytes(sound)
print(solved.sum(), "trajectories")
