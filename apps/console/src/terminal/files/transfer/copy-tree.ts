/**
 * Copies files and folders from one place to another: folders are walked as they are copied, files
 * go into the queue.
 */

import type { Entry } from '../folder/entries.ts'
import { listFolder } from '../folder/files-api.ts'
import { joined } from '../folder/paths.ts'
import type { TransferEngine } from './transfer-engine.ts'

/** Files of one order; a larger tree is better fetched as an archive. */
export const MAX_COPIED = 20_000

/**
 * Returns what was left out: links and devices, and whether there was more than may be copied at
 * once. @throws ApiError
 */
export async function copyTree(
  engine: TransferEngine,
  folder: string,
  entries: readonly Entry[],
  target: string,
): Promise<{ left: number; isCut: boolean }> {
  const result = { left: 0, isCut: false }
  let count = 0
  let batch: number | undefined
  async function walk(from: string, some: readonly Entry[], to: string): Promise<void> {
    const files = some.filter(({ kind }) => kind === 'file').slice(0, MAX_COPIED - count)
    count += files.length
    if (files.length)
      batch = engine.copy(
        files.map(({ name, size }) => ({ from: joined(from, name), to: joined(to, name), size: size ?? 0 })),
        batch,
      )
    result.left += some.filter(({ kind }) => kind === 'link' || kind === 'other').length
    for (const { name } of some.filter(({ kind }) => kind === 'folder')) {
      if (count >= MAX_COPIED) {
        result.isCut = true
        return
      }
      await engine.folder(joined(to, name))
      await walk(joined(from, name), (await listFolder(joined(from, name), true)).entries, joined(to, name))
    }
  }
  await walk(folder, entries, target)
  return result
}

/** Whether a folder would be copied or moved into itself. */
export const goesIntoItself = (folder: string, entries: readonly Entry[], target: string): boolean =>
  entries.some(
    ({ name, kind }) =>
      kind === 'folder' && (target === joined(folder, name) || target.startsWith(`${joined(folder, name)}/`)),
  )
