import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderRefusal, MAX_BYTES } from '../kinds/desktop/files/shared-folder.ts'
import { MAX_NODE_BYTES, NodeFolder } from './node-folder.ts'

test('the folders of all desktops of a node have a limit together; one that goes makes room', async () => {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-node-folder-'))
  const folders = Array.from({ length: MAX_NODE_BYTES / MAX_BYTES + 1 }, (_, n) => new NodeFolder(join(place, `${n}`)))
  onTestFinished(async () => {
    await Promise.all(folders.map((one) => one.close()))
    rmSync(place, { recursive: true, force: true })
  })
  // Longer by zeros, which take no room on a disk.
  const fill = async (folder?: NodeFolder) => folder?.resize(await folder.make('a', false), MAX_BYTES)
  const last = folders.at(-1)
  for (const folder of folders.slice(0, -1)) await fill(folder)
  expect(last?.bytesLeft).toBe(0)
  await expect(fill(last)).rejects.toThrow(FolderRefusal)
  expect(last?.entries).toMatchObject([{ size: 0 }])

  await folders[0]?.close()
  expect(last?.bytesLeft).toBe(MAX_BYTES)
  const [file] = last?.entries ?? []
  if (file) await last?.resize(file, MAX_BYTES)
  expect(folders.at(-1)?.bytesLeft).toBe(0)
})
