/* One thread of OpenBLAS, from the moment it is loaded, which is before main(). It would start one for each
 * processor, each of which takes a buffer of 128 megabytes and, where memory is limited to less, tries to get
 * it for ever, so that not even the end of this program could be reached. OpenBLAS asks the function below
 * how many threads its environment wants; what the program defines comes before what the library has. */
int openblas_num_threads_env(void);

__attribute__((visibility("default"))) int openblas_num_threads_env(void)
{
    return 1;
}
