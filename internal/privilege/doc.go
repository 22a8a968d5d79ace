// Package privilege gives up what a run does not need before it reads bytes of
// strangers. A verb that only reads files needs the right to read these, to write
// its outputs, and nothing else: whoever finds a hole in a decoder gets no more.
//
//   - The process may gain nothing by starting programs (no_new_privs, empty
//     bounding and ambient sets).
//   - It becomes the least user who can read its inputs and write its outputs,
//     with the least capabilities: which that is is tried before. Under sudo that
//     is the user who called it, for root who only reads it is nobody.
//   - Landlock, where the kernel has it, leaves the files that were named, those
//     of the system for reading, no TCP, no signals and no abstract sockets.
//
// Verbs that watch a host stay root, with the capabilities that probes use (Watch).
//
// All of it holds for all threads, forever. What a kernel does not know is left
// out silently.
package privilege
