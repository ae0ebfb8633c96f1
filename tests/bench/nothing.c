/*
 * The floor of a command: linked with the libraries of kota, it does nothing. What it takes beyond
 * `true` is what loading them takes.
 */
int main(void)
{
	return 0;
}
