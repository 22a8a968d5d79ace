// Package privilege gives up what a run does not need before it reads bytes of
// strangers. A verb that only reads files needs the right to read these, to write
// its outputs, and nothing else: whoever finds a hole in a decoder gets no more.
//
//   - The process may gain nothing by starting programs (no_new_privs).
//   - Of root's capabilities those that open files stay; under sudo the process
//     becomes the user who called it, unless it is to write files.
//   - Landlock, where the kernel has it, leaves the files that were named, those
//     of the system for reading, and no TCP.
//
// All of it holds for all threads, for ever. What a kernel does not know is left
// out silently.
package privilege
