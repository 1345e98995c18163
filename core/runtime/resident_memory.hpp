// Memory that the process holds without using it. Any thread.
#pragma once

namespace ccm::runtime {

// Gives back to the kernel what glibc keeps of freed memory, and the pages of the program's and its
// libraries' files, most of which are needed at the start only. A page that is needed again comes
// from the page cache. A page that was written to, as by a debugger or a uprobe, stays.
void return_unused_memory();

}  // namespace ccm::runtime
