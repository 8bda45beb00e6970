/* Arrays of others for others: DLPack's capsule around memory that an object owns, on a card or not. The
 * layout of the two structures is DLPack's, which has not changed since its first version
 * (https://dmlc.github.io/dlpack). */
#include "core.h"

enum { MOST_AXES = 4 };

typedef struct dl_tensor {
    void *data;
    int32_t device_kind, device;
    int32_t axes;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* NULL strides: one row after the other */
    uint64_t offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*destroy)(struct dl_managed *managed);
} dl_managed;

typedef struct lent {
    dl_managed managed;
    int64_t shape[MOST_AXES];
    PyObject *owner;
} lent;

/* By whoever took it, from any thread; the interpreter may be gone by then. */
static void give_back(dl_managed *managed)
{
    lent *l = managed->context;
    if (Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(l->owner);
        PyMem_Free(l);
        PyGILState_Release(state);
    }
}

/* A capsule that nobody took still has its first name. */
static void forget(PyObject *capsule)
{
    dl_managed *managed =
        PyCapsule_IsValid(capsule, "dltensor") ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    if (managed) {
        managed->destroy(managed);
    }
}

static int take_shape(lent *l, PyObject *shape)
{
    const Py_ssize_t axes = PyTuple_Size(shape);
    if (axes < 0 || axes > MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "dlpack: too many axes");
        return 0;
    }
    for (Py_ssize_t i = 0; i < axes; i++) {
        l->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    }
    l->managed.tensor.axes = (int32_t)axes;
    return !PyErr_Occurred();
}

static PyObject *dlpack(PyObject *self, PyObject *args)
{
    PyObject *owner;
    PyObject *shape;
    PyObject *address;
    int code;
    int bits;
    int kind;
    int device;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO!O!iiii", &owner, &PyLong_Type, &address, &PyTuple_Type, &shape, &code,
                          &bits, &kind, &device)) {
        return NULL;
    }
    lent *l = PyMem_Calloc(1, sizeof *l);
    if (!l) {
        return PyErr_NoMemory();
    }
    l->managed = (dl_managed){.tensor = {.data = PyLong_AsVoidPtr(address),
                                         .device_kind = kind,
                                         .device = device,
                                         .code = (uint8_t)code,
                                         .bits = (uint8_t)bits,
                                         .lanes = 1,
                                         .shape = l->shape},
                              .context = l,
                              .destroy = give_back};
    PyObject *capsule =
        !PyErr_Occurred() && take_shape(l, shape) ? PyCapsule_New(&l->managed, "dltensor", forget) : NULL;
    if (!capsule) {
        PyMem_Free(l);
        return NULL;
    }
    l->owner = Py_NewRef(owner);
    return capsule;
}

PyMethodDef dlpack_functions[] = {{"dlpack", dlpack, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
