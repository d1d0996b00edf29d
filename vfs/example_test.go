package vfs_test

import (
	"fmt"
	"testing/fstest"

	"github.com/seed48025506/belljar/vfs"
)

// A tree over an fs.FS: what is written stays in memory, and Changes tells.
func Example() {
	base := fstest.MapFS{"notes.txt": {Data: []byte("old\n"), Mode: 0o644}}
	tree := vfs.New(vfs.Config{})
	if err := tree.Mount("/work", vfs.FromFS(base), false); err != nil {
		fmt.Println(err)
		return
	}
	before := tree.Clone() // costs nothing, whatever the size

	_ = tree.WriteFile("/work/notes.txt", []byte("new\n"), 0o644)
	_ = tree.WriteFile("/work/more.txt", []byte("more\n"), 0o644)

	changes, _ := tree.Changes()
	for _, c := range changes {
		fmt.Println(c.Kind, c.Path)
	}
	p, _ := before.ReadFile("/work/notes.txt")
	fmt.Printf("the clone has %q\n", p)
	// Output:
	// added work/more.txt
	// modified work/notes.txt
	// the clone has "old\n"
}
