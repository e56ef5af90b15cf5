package facts

// nonblocking is nothing where names of files lead to no pipes.
const nonblocking = 0
