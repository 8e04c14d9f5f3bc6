import { joined } from './enclosure.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type DirectoryEntry, isDirectory, SftpStatus, STATUS } from './sftp/sftp-wire.ts'

/** Nobody needs deeper trees but to break programs that walk them. */
const MAX_DEPTH = 200
/** Removals at a time. */
const AT_A_TIME = 32

/**
 * Removes a folder with everything in it; links are removed, not followed. `mayGoOn` is called
 * before each folder and batch, and throws to stop. Throws SftpStatus for the first thing that
 * can't be removed.
 */
export async function removeTree(
  client: SftpClient,
  folder: string,
  mayGoOn: () => Promise<void>,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new SftpStatus(STATUS.FAILURE, 'The folders are nested too deeply')
  // Emptied batch by batch, so that a folder of millions of files is never held in memory. Some
  // systems skip entries while others are removed: read it again until it is empty.
  for (let emptied = false; !emptied; ) emptied = await emptyOnce(client, folder, mayGoOn, depth)
  await client.rmdir(folder)
}

/** Removes what one pass over a folder finds; answers whether it was empty. */
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

/** Some servers don't tell of what kind an entry is. */
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
