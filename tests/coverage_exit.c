/* In builds that count coverage: what a fork of ours has run counts too, though it ends without exit
 * handlers. */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
