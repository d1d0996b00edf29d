package hostfns

// rights is a set of WASI's rights: what may be done with a descriptor.
type rights uint64

// The rights, in the order of the specification.
const (
	rightFdDatasync rights = 1 << iota
	rightFdRead
	rightFdSeek
	rightFdFdstatSetFlags
	rightFdSync
	rightFdTell
	rightFdWrite
	rightFdAdvise
	rightFdAllocate
	rightPathCreateDirectory
	rightPathCreateFile
	rightPathLinkSource
	rightPathLinkTarget
	rightPathOpen
	rightFdReaddir
	rightPathReadlink
	rightPathRenameSource
	rightPathRenameTarget
	rightPathFilestatGet
	rightPathFilestatSetSize
	rightPathFilestatSetTimes
	rightFdFilestatGet
	rightFdFilestatSetSize
	rightFdFilestatSetTimes
	rightPathSymlink
	rightPathRemoveDirectory
	rightPathUnlinkFile
	rightPollFdReadwrite
	rightSockShutdown
	rightSockAccept
)

// has reports whether all of need is there. The right to seek is the right to
// tell, too.
func (r rights) has(need rights) bool {
	if r&rightFdSeek != 0 {
		r |= rightFdTell
	}
	return r&need == need
}

const (
	// rightsFile is all that makes sense for a regular file.
	rightsFile = rightFdDatasync | rightFdRead | rightFdSeek | rightFdFdstatSetFlags | rightFdSync |
		rightFdTell | rightFdWrite | rightFdAdvise | rightFdAllocate | rightFdFilestatGet |
		rightFdFilestatSetSize | rightFdFilestatSetTimes | rightPollFdReadwrite
	// rightsDir is all that makes sense for a directory itself.
	rightsDir = rightFdFdstatSetFlags | rightFdSync | rightFdDatasync | rightFdAdvise | rightPathCreateDirectory | rightPathCreateFile |
		rightPathLinkSource | rightPathLinkTarget | rightPathOpen | rightFdReaddir |
		rightPathReadlink | rightPathRenameSource | rightPathRenameTarget | rightPathFilestatGet |
		rightPathFilestatSetSize | rightPathFilestatSetTimes | rightFdFilestatGet |
		rightFdFilestatSetTimes | rightPathSymlink | rightPathRemoveDirectory | rightPathUnlinkFile |
		rightPollFdReadwrite
	// rightsStdio is for a stream that can neither seek nor tell: libc takes
	// a descriptor without those two for a terminal or a pipe.
	rightsStdio = rightFdFdstatSetFlags | rightFdFilestatGet | rightPollFdReadwrite | rightFdDatasync | rightFdSync
	// rightsAll is every right there is.
	rightsAll = rightSockAccept<<1 - 1
)
