import { joined } from './enclosure.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type DirectoryEntry, isDirectory, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/** Deeper trees exist only to break who walks them. */
const MAX_DEPTH = 200
/** So many removals are under way at a time. */
const AT_A_TIME = 32

/**
 * Removes a folder with everything in it; links are removed, not followed. `mayGoOn` is asked
 * before each folder and each batch, and throws to stop in the middle. Throws SftpStatus for the
 * first thing that cannot be removed.
 */
export async function removeTree(
  client: SftpClient,
  folder: string,
  mayGoOn: () => Promise<void>,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new SftpStatus(STATUS.FAILURE, 'The folders are nested too deeply')
  // Emptied batch by batch, so that a folder of millions is never held as a whole. Some systems
  // skip entries while others are removed: look again until it is empty.
  for (let emptied = false; !emptied; ) emptied = await emptyOnce(client, folder, mayGoOn, depth)
  await client.rmdir(folder)
}

/** Goes once over a folder; answers whether nothing was in it. */
async function emptyOnce(
  client: SftpClient,
  folder: string,
  mayGoOn: () => Promise<void>,
  depth: number,
): Promise<boolean> {
  const handle = await client.opendir(folder)
  let isEmpty = true
  try {
    for (let batch = await client.readdir(handle); batch; batch = await client.readdir(handle)) {
      const entries = batch.filter(({ name }) => name !== '.' && name !== '..')
      if (entries.length) isEmpty = false
      for (let at = 0; at < entries.length; at += AT_A_TIME) {
        await mayGoOn()
        await removeAll(
          client,
          folder,
          await kindsKnown(client, folder, entries.slice(at, at + AT_A_TIME)),
          mayGoOn,
          depth,
        )
      }
    }
  } finally {
    await client.closeHandle(handle).catch(() => {})
  }
  return isEmpty
}

/** Not every server says of what kind an entry is. */
async function kindsKnown(client: SftpClient, folder: string, entries: DirectoryEntry[]): Promise<DirectoryEntry[]> {
  return Promise.all(
    entries.map(async (entry) =>
      entry.attributes.mode === undefined
        ? { ...entry, attributes: await client.lstat(joined(folder, entry.name)) }
        : entry,
    ),
  )
}

async function removeAll(
  client: SftpClient,
  folder: string,
  entries: DirectoryEntry[],
  mayGoOn: () => Promise<void>,
  depth: number,
): Promise<void> {
  const folders = entries.filter(({ attributes }) => isDirectory(attributes))
  const files = entries.filter(({ attributes }) => !isDirectory(attributes))
  await Promise.all(files.map(({ name }) => client.remove(joined(folder, name))))
  for (const { name } of folders) await removeTree(client, joined(folder, name), mayGoOn, depth + 1)
}
