package cas_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/castest"
)

func TestMem(t *testing.T) {
	castest.Run(t, func(*testing.T) cas.Store { return cas.NewMem() })
}

func openDir(t *testing.T) (*cas.Dir, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store")
	s, err := cas.OpenDir(path)
	require.NoError(t, err)
	return s, path
}

func TestDir(t *testing.T) {
	castest.Run(t, func(t *testing.T) cas.Store { s, _ := openDir(t); return s })
}

func TestDirMakesNoFolderBeforeItIsNeeded(t *testing.T) {
	s, path := openDir(t)
	_, err := s.Get(cas.Sum(nil))
	require.ErrorIs(t, err, cas.ErrNotFound)
	require.NoDirExists(t, path)
}

func TestDirNamesACorruptPayload(t *testing.T) {
	s, path := openDir(t)
	d, err := s.Put([]byte("sound bytes"))
	require.NoError(t, err)
	file := filepath.Join(path, d.String()[:2], d.String())
	require.NoError(t, os.WriteFile(file, []byte("Sound bytes"), 0o600))
	_, err = s.Get(d)
	var corrupt *cas.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, d, corrupt.Want)
	require.Equal(t, file, corrupt.Where)
}

func TestDirHealsAShortPayload(t *testing.T) {
	s, path := openDir(t)
	d, err := s.Put([]byte("whole"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(path, d.String()[:2], d.String()), nil, 0o600))
	_, err = s.Put([]byte("whole"))
	require.NoError(t, err)
	p, err := s.Get(d)
	require.NoError(t, err)
	require.Equal(t, "whole", string(p))
}

func TestOpenDirRefusesAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := cas.OpenDir(file)
	require.ErrorContains(t, err, "not a folder")
}

func TestDigestText(t *testing.T) {
	d := cas.Sum([]byte("x"))
	back, err := cas.ParseDigest(d.String())
	require.NoError(t, err)
	require.Equal(t, d, back)
	for _, bad := range []string{"", "ab", d.String() + "0", "g" + d.String()[1:]} {
		_, err := cas.ParseDigest(bad)
		require.Error(t, err, bad)
	}
	require.True(t, cas.Digest{}.IsZero())
	require.Len(t, d.Short(), 12)
}

func TestKeepTakesOver(t *testing.T) {
	for _, s := range []cas.Store{cas.NewMem(), must(cas.OpenDir(t.TempDir()))} {
		p := []byte("nobody changes this")
		b := cas.NewBlob(p)
		d, err := cas.Keep(s, b)
		require.NoError(t, err)
		require.Equal(t, cas.Sum(p), d)
		require.Equal(t, d, b.Digest())
		got, err := s.Get(d)
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
}

func must(s *cas.Dir, err error) cas.Store {
	if err != nil {
		panic(err)
	}
	return s
}
