// Package safefile opens files by names that somebody else may have had a hand
// in, and writes them so that nobody can lead the writer elsewhere.
//
// # Writing
//
// rtrail writes as root, into places that people name on a command line. Three
// kinds of people can change what a name leads to:
//
//   - root and the user the program runs as: trusted.
//   - the user who called sudo (or pkexec): may have files written into
//     directories of their own, but a program of theirs must not become root by
//     it. So no link in such a directory is followed, no file in it is opened
//     to be written, and what is written there is made under a new name first.
//     They can still remove, move or replace what is in their own directories:
//     whoever needs evidence that its owner cannot forge records elsewhere.
//   - everybody else: root writes into no directory that they own or may write,
//     but for /tmp and others with the sticky bit, in which entries of root stay
//     what they are.
//
// OpenDir walks to a directory one name at a time, holds each by a descriptor
// and looks at its owner and mode. A link is followed only where none but root
// and the program's own user could have put it. From there on all is done by the
// descriptor (openat, renameat, unlinkat): a directory that is moved or replaced
// meanwhile leads nowhere else.
//
// A program that is not root has nothing to lend to others. It may write into
// shared directories, and follows no link in them either.
package safefile
