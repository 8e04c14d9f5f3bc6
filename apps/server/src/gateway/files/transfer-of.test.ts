import { expect, test } from 'vitest'
import { transferOf } from './transfer-of.ts'

const UP = { operate: 'Upload', needs: ['upload_file'] }
const DOWN = { operate: 'Download', needs: ['download_file'] }

test.for([
  ['scp -t /tmp/x', { ...UP, path: '/tmp/x' }],
  ['scp -r -p -t -- -odd', { ...UP, path: '-odd' }],
  ['scp -f a b', { ...DOWN, path: 'a b' }],
  ["/usr/bin/scp -vprf '/a b/it'\\''s'", { ...DOWN, path: "/a b/it's" }],
  ['rsync --server -vlogDtpre.iLsfxCIvu --log-format=X . /srv/www/', { ...UP, path: '/srv/www/' }],
  ['rsync --server --sender -logDtpre.iLsf . "/srv/a b"', { ...DOWN, path: '/srv/a b' }],
  ['sudo -u root rsync --server -e.LsfxC . x', { ...UP, path: 'x' }],
  ['LANG=C nice -n 5 rsync --server --sender . x', { ...DOWN, path: 'x' }],
  [
    'rsync --server --sender --remove-source-files . x',
    { operate: 'Download', needs: ['download_file', 'upload_file'], path: 'x' },
  ],
  ['/usr/lib/openssh/sftp-server', { operate: 'Upload', needs: ['upload_file', 'download_file'], path: '' }],
] as const)('%s moves files', ([command, transfer]) => {
  expect(transferOf(command)).toEqual(transfer)
})

test.for(['', 'ls -t', 'scp a b:c', 'rsync -a x y', 'echo scp -t x', "cat 'scp -t'", 'scp', '"', "'unclosed"])(
  '%s does not',
  (command) => {
    expect(transferOf(command)).toBeUndefined()
  },
)
