//! Arrays in device memory: kernels over numbers, and products by cuBLAS.
//!
//! The terms of each result, and their order, are the same as in [`host`]. All operations except
//! products therefore have the bits of the host.

mod lu;
mod work;

pub(crate) use lu::Lu;

use crate::function::Function;
use crate::host::{self, Into as How, SUMS};
use crate::number::Number;
use crate::shape::Shape;
use core::marker::PhantomData;
use ode_gpu::{
    Device, DeviceBuffer, DeviceQueue, GpuError, Kernel, KernelSource, Matrices, ProductShape,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use work::{
    AddToColumns, Combine, Fill, Key, Map, Multiply, NonFinite, Scale, Squares, TERMS, Work,
};

/// A device with its own queue, and its loaded kernels. Clones are handles to the same backend.
#[derive(Clone, Debug)]
pub(crate) struct Place(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    queue: DeviceQueue,
    /// Kernels by operation, and whether the precision is `f64`.
    kernels: Mutex<HashMap<(Key, bool), Arc<Kernel>>>,
    /// Other kernels, by name.
    named: Mutex<HashMap<String, Arc<Kernel>>>,
}

impl Place {
    pub(crate) fn new(device: &Device, tf32: bool) -> Result<Self, GpuError> {
        let queue = DeviceQueue::new(device, tf32)?;
        Ok(Place(Arc::new(Inner { queue, kernels: Mutex::default(), named: Mutex::default() })))
    }

    /// Copies numbers of the host to the device.
    pub(crate) fn bring<T: Number>(&self, numbers: &[T]) -> Result<Numbers<T>, GpuError> {
        let buffer = Arc::new(self.0.queue.upload(numbers)?);
        Ok(Numbers { place: self.clone(), buffer })
    }

    fn zeros<T: Number>(&self, len: usize) -> Result<Numbers<T>, GpuError> {
        Ok(Numbers { place: self.clone(), buffer: Arc::new(self.0.queue.zeros(len)?) })
    }

    fn kernel<T: Number, W: Work<T>>(
        &self,
        function: Option<Function>,
    ) -> Result<Arc<Kernel>, GpuError> {
        let key = Key { name: W::NAME, function };
        let mut kernels = self.0.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(key, T::DOUBLE)) {
            return Ok(kernel.clone());
        }
        let kernel = self.0.queue.device().kernel(&work::program::<T, W>(key))?;
        kernels.insert((key, T::DOUBLE), kernel.clone());
        Ok(kernel)
    }

    /// Returns the kernel of this name; if it is not loaded, loads the program that `write`
    /// returns.
    pub(crate) fn kernel_named<E: From<GpuError>>(
        &self,
        name: String,
        write: impl FnOnce() -> Result<KernelSource, E>,
    ) -> Result<Arc<Kernel>, E> {
        let mut kernels = self.0.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&name) {
            return Ok(kernel.clone());
        }
        let kernel = self.queue().device().kernel(&write()?)?;
        kernels.insert(name, kernel.clone());
        Ok(kernel)
    }

    pub(crate) fn queue(&self) -> &DeviceQueue {
        &self.0.queue
    }

    /// Queues an operation on `count` numbers.
    ///
    /// # Safety
    /// The addresses in `work` must be in buffers of this backend, which have as many numbers as
    /// the operation accesses. No other reference to the written numbers may exist.
    unsafe fn launch<T: Number, W: Work<T>>(
        &self,
        function: Option<Function>,
        work: W,
        count: usize,
    ) -> Result<(), GpuError> {
        let kernel = self.kernel::<T, W>(function)?;
        // SAFETY: `program` asserts that the kernel takes a value of this size, with the layout of
        // `operations.hpp`. The caller guarantees that its addresses are valid.
        unsafe { self.0.queue.launch(&kernel, work, count as u64) }
    }

    /// Queues an operation whose threads cooperate in blocks; with `together`, all blocks run at once.
    ///
    /// # Safety
    /// See [`launch`](Self::launch).
    unsafe fn launch_blocks<T: Number, W: Work<T>>(
        &self,
        work: W,
        blocks: usize,
        threads: u32,
        together: bool,
    ) -> Result<(), GpuError> {
        let kernel = self.kernel::<T, W>(None)?;
        let (queue, arguments, blocks) = (&self.0.queue, (work, 0u64, 0u64), blocks as u32);
        // SAFETY: as in `launch`, with the layout of `lu.hpp`.
        unsafe { queue.launch_blocks(&kernel, arguments, blocks, threads, together) }
    }
}

/// The numbers of an array in device memory. Clones share them until one is written.
#[derive(Clone, Debug)]
pub(crate) struct Numbers<T> {
    place: Place,
    buffer: Arc<DeviceBuffer<T>>,
}

impl<T: Number> Numbers<T> {
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns whether both are in the same memory.
    pub(crate) fn is_beside(&self, other: &Numbers<T>) -> bool {
        Arc::ptr_eq(&self.place.0, &other.place.0)
    }

    /// Returns whether the numbers are in the memory of this backend.
    pub(crate) fn is_in(&self, place: &Place) -> bool {
        Arc::ptr_eq(&self.place.0, &place.0)
    }

    /// Allocates `len` zeros in the same memory.
    pub(crate) fn zeros(&self, len: usize) -> Result<Self, GpuError> {
        self.place.zeros(len)
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    fn queue(&self) -> &DeviceQueue {
        self.place.queue()
    }

    /// Returns the address of the first number.
    pub(crate) fn at(&self) -> u64 {
        self.buffer.address()
    }

    /// Returns the buffer for writing; copies it first if it is shared.
    fn own(&mut self) -> Result<&mut DeviceBuffer<T>, GpuError> {
        if Arc::get_mut(&mut self.buffer).is_none() {
            let mut copy = self.queue().allocate(self.len())?;
            self.queue().copy(&self.buffer, &mut copy)?;
            self.buffer = Arc::new(copy);
        }
        // The buffer is not shared here, so nothing is copied.
        Ok(Arc::get_mut(&mut self.buffer).expect("the buffer has one owner"))
    }

    /// Returns the address of the buffer, for writing.
    fn own_at(&mut self) -> Result<u64, GpuError> {
        Ok(self.own()?.address())
    }

    /// Queues an operation on `count` of these numbers, with the addresses in `work`.
    ///
    /// # Safety
    /// See [`Place::launch`].
    unsafe fn launch<W: Work<T>>(&self, work: W, count: usize) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that the addresses in `work` are in buffers of this backend
        // with enough numbers, and that no other reference to the written numbers exists.
        unsafe { self.place.launch::<T, W>(None, work, count) }
    }

    /// Copies the numbers to the host.
    pub(crate) fn read(&self, to: &mut [T]) -> Result<(), GpuError> {
        self.queue().download(&self.buffer, to)
    }

    pub(crate) fn copy(&mut self, from: &Numbers<T>) -> Result<(), GpuError> {
        let queue = self.queue().clone();
        queue.copy(&from.buffer, self.own()?)
    }

    pub(crate) fn fill(&mut self, value: T) -> Result<(), GpuError> {
        let out = self.own_at()?;
        // SAFETY: `out` has `self.len()` numbers.
        unsafe { self.launch(Fill { out, value }, self.len()) }
    }

    /// Sets number `index`, which must exist.
    pub(crate) fn put(&mut self, index: usize, value: T) -> Result<(), GpuError> {
        let out = self.own_at()? + (index * size_of::<T>()) as u64;
        let count = usize::from(index < self.len());
        // SAFETY: `out` is the address of one number of the buffer.
        unsafe { self.launch(Fill { out, value }, count) }
    }

    /// Sets the numbers from `index` on to the numbers of `from`, times `by`.
    pub(crate) fn put_all(
        &mut self,
        index: usize,
        by: T,
        from: &Numbers<T>,
    ) -> Result<(), GpuError> {
        let out = self.own_at()? + (index * size_of::<T>()) as u64;
        let count = self.len().saturating_sub(index).min(from.len());
        // SAFETY: both have at least `count` numbers.
        unsafe { self.launch(Scale { out, of: from.at(), by }, count) }
    }

    /// Computes `self = u + h Σ c k`; without `u`, `u` is `self`. All have the same length.
    pub(crate) fn combine(
        &mut self,
        u: Option<&Numbers<T>>,
        h: T,
        terms: &[(T, &Numbers<T>)],
    ) -> Result<(), GpuError> {
        let len = self.len();
        let out = self.own_at()?;
        let u = u.map_or(out, Numbers::at);
        let mut rest = terms;
        let mut sums: Option<DeviceBuffer<T>> = None;
        loop {
            let (now, later) = rest.split_at(rest.len().min(TERMS));
            let begun = sums.as_ref().map_or(0, DeviceBuffer::address);
            let (mut k, mut c) = ([0; TERMS], [T::lit(0.0); TERMS]);
            for (i, (factor, array)) in now.iter().enumerate() {
                (c[i], k[i]) = (*factor, array.at());
            }
            let work = Combine { out, u, begun, k, c, h, terms: now.len() as u32 };
            if later.is_empty() {
                // SAFETY: all have the same length. If `u` or a term is `out`, the thread that
                // writes a number is the one that reads it.
                return unsafe { self.launch(work, len) };
            }
            if sums.is_none() {
                sums = Some(self.queue().allocate(len)?);
            }
            let out = sums.as_ref().map_or(0, DeviceBuffer::address);
            // SAFETY: `sums` has `len` numbers, as the terms have, and only this function uses it.
            // The thread that writes a number of `sums` is the one that reads it. A `u` of 0 is not
            // read.
            unsafe { self.launch(Combine { out, u: 0, ..work }, len)? };
            rest = later;
        }
    }

    pub(crate) fn add_to_columns(&mut self, b: &Numbers<T>) -> Result<(), GpuError> {
        let out = self.own_at()?;
        let work = AddToColumns { out, b: b.at(), rows: b.len() as u64, numbers: PhantomData };
        // SAFETY: number `b[i % rows]` is added to number `out[i]`, and `b` has `rows` numbers.
        unsafe { self.launch(work, self.len()) }
    }

    pub(crate) fn multiply(&mut self, by: &Numbers<T>) -> Result<(), GpuError> {
        let work = Multiply { out: self.own_at()?, by: by.at(), numbers: PhantomData };
        // SAFETY: both have the same length.
        unsafe { self.launch(work, self.len()) }
    }

    pub(crate) fn scale(&mut self, by: T) -> Result<(), GpuError> {
        let out = self.own_at()?;
        // SAFETY: each number of `out` is read by the thread that writes it.
        unsafe { self.launch(Scale { out, of: out, by }, self.len()) }
    }

    pub(crate) fn map(&mut self, function: Function) -> Result<(), GpuError> {
        let work = Map { out: self.own_at()?, numbers: PhantomData };
        // SAFETY: `out` has `self.len()` numbers.
        unsafe { self.place.launch::<T, _>(Some(function), work, self.len()) }
    }

    /// Returns the mean square of these errors, as [`host::mean_square`].
    pub(crate) fn mean_square(
        &self,
        u: &Numbers<T>,
        new: &Numbers<T>,
        (abstol, reltol): (&Numbers<T>, T),
    ) -> Result<T, GpuError> {
        let len = self.len();
        let mut sums = vec![T::lit(0.0); len.div_ceil(host::BLOCK) * SUMS];
        let buffer = self.queue().allocate(sums.len())?;
        let work = Squares {
            sums: buffer.address(),
            error: self.at(),
            u: u.at(),
            end: new.at(),
            abstol: abstol.at(),
            len: len as u64,
            reltol,
            own: u32::from(abstol.len() > 1),
        };
        // SAFETY: there are `SUMS` sums for each block of these arrays, which have the same length.
        // There is one tolerance, or one for each number.
        unsafe { self.launch(work, sums.len())? };
        self.queue().download(&buffer, &mut sums)?;
        Ok(host::mean(sums.chunks(SUMS).map(host::sum), len))
    }

    pub(crate) fn is_finite(&self) -> Result<bool, GpuError> {
        let found = self.queue().zeros::<u32>(1)?;
        let work = NonFinite { x: self.at(), found: found.address(), numbers: PhantomData::<T> };
        // SAFETY: `found` is one number, and all threads write the same value.
        unsafe { self.launch(work, self.len())? };
        let mut answer = [0];
        self.queue().download(&found, &mut answer)?;
        Ok(answer == [0])
    }

    /// Computes `self = alpha a b`, or `self + alpha a b`, as [`host::product`].
    pub(crate) fn product(
        &mut self,
        shape: Shape,
        into: How,
        alpha: T,
        (a, of_a): (&Numbers<T>, Shape),
        (b, of_b): (&Numbers<T>, Shape),
    ) -> Result<(), GpuError> {
        if shape.is_empty() {
            return Ok(());
        }
        let out = self.own_at()?;
        let matrices = |at: u64, of: Shape| Matrices {
            at,
            pitch: of.rows,
            stride: if of.batch == 1 { 0 } else { of.each() },
        };
        let (a, b) = (matrices(a.at(), of_a), matrices(b.at(), of_b));
        let Shape { rows, columns, batch } = shape;
        let shape = ProductShape { rows, columns, inner: of_a.columns, batch };
        let beta = if into == How::Add { T::lit(1.0) } else { T::lit(0.0) };
        let of_out = Matrices { at: out, pitch: rows, stride: rows * columns };
        // SAFETY: the arrays have the sizes of their shapes, which match. `out` overlaps neither
        // factor, since it is borrowed exclusively and its buffer is not shared.
        unsafe { self.queue().product(shape, alpha, (a, b), beta, of_out) }
    }
}
