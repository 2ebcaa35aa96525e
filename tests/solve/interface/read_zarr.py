"""Compares Zarr folders and mapped arrays with NumPy archives of the same solutions.

    python read_zarr.py FOLDER     FOLDER: contains NAME.zarr and NAME.npz
"""

import sys
import warnings
from pathlib import Path

import numpy
import xarray
import zarr

# A folder that needs an unspecified extension causes a warning.
warnings.simplefilter("error")
AXES = {
    "u": ["state"], "observables": ["observable"], "u_end": ["state"], "t_end": [],
    "u0": ["state"], "p": ["parameter"], "tspan": ["end"], "code": [], "accepted": [],
    "rejected": [], "event_counts": ["event"], "log": ["log_slot", "log_number"],
    "features": ["feature"], "modes_end": ["mode"],
}
NAMES = {"state": "state_names", "parameter": "parameter_names", "observable": "observable_names",
         "event": "event_names", "feature": "feature_names", "mode": "mode_names"}

folders = sorted(Path(sys.argv[1]).glob("*.zarr"))
for folder in folders:
    ds = xarray.open_zarr(folder, consolidated=False)
    data = numpy.load(folder.with_suffix(".npz"))
    assert ds.attrs["complete"] == 1, folder
    save = "time" if data["t"].ndim == 1 else "save"
    for name, axes in AXES.items():
        if name not in data or 0 in data[name].shape[1:]:
            assert name not in ds, (folder, name)
            continue
        saved = [save] if name in ["u", "observables"] else []
        assert ds[name].dims == ("trajectory", *saved, *axes), (folder, name, ds[name].dims)
        assert ds[name].dtype == data[name].dtype, (folder, name)
        # NaN equals NaN.
        numpy.testing.assert_array_equal(ds[name].values, data[name], f"{folder}: {name}")
        # Without xarray.
        numpy.testing.assert_array_equal(zarr.open(folder, mode="r")[name][:], data[name])
    if data["t"].size > 0:
        assert "time" in ds.coords and ds.time.dtype == data["t"].dtype
        numpy.testing.assert_array_equal(ds.time.values, data["t"])
        reached = numpy.isfinite(data["u" if "u" in data else "observables"]).all(axis=2)
        count = numpy.where(reached, numpy.arange(1, reached.shape[1] + 1), 0).max(axis=1)
        succeeded = data["code"] == 0
        assert (ds.saved_count.values == count)[succeeded].all()
    else:
        assert "time" not in ds.variables and "saved_count" not in ds
    for axis, names in NAMES.items():
        if axis in ds.dims:
            assert list(ds[axis].values) == list(data[names]) == ds.attrs[f"{axis}s"]
    assert ds.code.attrs["flag_meanings"].split() == list(data["code_names"])
    assert ds.code.attrs["flag_values"] == list(range(len(data["code_names"])))
    assert ds.attrs["grid_shape"] == list(data["shape"])
    assert ds.attrs.get("grid_axes", []) == list(data["axis_names"])
    assert ds.attrs["first_trajectory"] == data["numbers"][0]
    # By names and labels.
    assert (ds.p.sel(parameter="death") == data["p"][:, 1]).all()
for name in ["u", "u_end"]:
    mapped = numpy.load(Path(sys.argv[1]) / f"{name}.npy", mmap_mode="r")
    expected = numpy.load(Path(sys.argv[1]) / "grid.npz")[name]
    assert isinstance(mapped, numpy.memmap) and mapped.dtype == expected.dtype
    numpy.testing.assert_array_equal(mapped, expected)
print(len(folders), "folders")
