/** Actions of the panes on files beyond looking at them. Failures are shown; nothing is thrown. */
import { visibleName } from '@sallyport/contract/names.ts'
import { ask, confirmDanger, showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { type Entry, sizeText } from '../folder/entries.ts'
import { archiveAddress, contentAddress, measure, remove, rename } from '../folder/files-api.ts'
import type { FolderChanges } from '../folder/folder-changes.ts'
import { shownPath } from '../folder/machine-names.ts'
import { joined } from '../folder/paths.ts'
import { copyTree, goesIntoItself, MAX_COPIED } from '../transfer/copy-tree.ts'
import { type Dropped, MAX_DROPPED } from '../transfer/dropped.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'

/** The names of an archive are in its address. */
const MAX_ARCHIVED_NAMES = 200
const MAX_ADDRESS = 8000
/** As the server has it. */
const MAX_ARCHIVE_FILES = 20_000

/** Files on their way from one pane to a place. */
export interface MovedFiles {
  folder: string
  entries: readonly Entry[]
  machine: string | null
}

const say = (error: unknown) => showError(errorText(error))

/** Names the file where there are several. */
const sayAbout = (name: string, error: unknown) => showError(`${visibleName(name)}: ${errorText(error)}`)

/** Uploads what was dropped or chosen; empty folders are made. */
export async function uploadHere(
  engine: TransferEngine,
  coming: Promise<Dropped> | Dropped,
  folder: string,
): Promise<void> {
  try {
    const { items, empty, isCut } = await coming
    if (isCut)
      showError(t('At most {{count}} files can be uploaded at once: the rest was left out.', { count: MAX_DROPPED }))
    for (const path of empty) {
      const parts = path.split('/')
      for (let depth = 1; depth <= parts.length; depth++)
        await engine.folder(joined(folder, parts.slice(0, depth).join('/')))
    }
    const begun = engine.upload(folder, items)
    if (begun) showSuccess(t('Interrupted uploads that resume: {{count}}', { count: begun }))
  } catch (error) {
    say(error)
  }
}

/** One file as it is, several or folders as an archive; the browser saves them as they come. */
export function saveChosen(folder: string, chosen: readonly Entry[]): void {
  const [only, ...more] = chosen
  if (!only) return
  const names = chosen.map(({ name }) => name)
  const paths = names.map((name) => joined(folder, name))
  const address = archiveAddress(folder, names)
  if (!more.length && only.kind !== 'folder') save(contentAddress(joined(folder, only.name)))
  else if (names.length > MAX_ARCHIVED_NAMES || address.length > MAX_ADDRESS)
    showError(t('These are too many for one archive. Download the folder that they are in, or fewer of them.'))
  else {
    // As an answer to a download the browser would only say that it failed.
    void measure(paths).then(({ is_more, bytes, max_archive_bytes }) => {
      if (!is_more && bytes <= max_archive_bytes) save(address)
      else
        showError(
          t('This is too much for one archive: {{size}} and {{count}} files at most. Take fewer, or single files', {
            size: sizeText(max_archive_bytes),
            count: MAX_ARCHIVE_FILES,
          }),
        )
    }, say)
  }
}

function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}

/** Copies files and folders into a folder, maybe of another machine. */
export async function copyHere(engine: TransferEngine, { folder, entries }: MovedFiles, target: string): Promise<void> {
  try {
    const { left, isCut } = await copyTree(engine, folder, entries, target)
    if (isCut)
      showError(t('At most {{count}} files can be copied at once: the rest was left out.', { count: MAX_COPIED }))
    else if (left)
      showError(t('{{count|link or special file was|links and special files were}} left out.', { count: left }))
  } catch (error) {
    say(error)
  }
}

/** Moves files and folders within one machine. What is in the way stays. */
export async function moveHere(changes: FolderChanges, { folder, entries }: MovedFiles, target: string): Promise<void> {
  let moved = 0
  for (const { name } of entries) {
    try {
      await rename(joined(folder, name), joined(target, name))
      moved += 1
    } catch (error) {
      sayAbout(name, error)
      break
    }
  }
  if (moved) showSuccess(t('{{count}} moved', { count: moved }))
  changes.say(folder)
  changes.say(target)
}

/** Asks whether files that were cut are copied: between machines nothing is moved. */
export const agreesToCopy = (count: number): Promise<boolean> =>
  ask({
    title: t('Copy {{count|entry|entries}}?', { count }),
    content: t('Files can be moved within one machine only. They are copied, and stay where they are.'),
    okText: t('Copy'),
    cancelText: t('Cancel'),
  })

/**
 * After a drop: copied from machine to machine; within one, a person says whether it was meant as a
 * move.
 */
export async function placeFiles(
  engine: TransferEngine,
  changes: FolderChanges,
  dragged: MovedFiles,
  target: string,
  machine: string | null,
): Promise<void> {
  if (dragged.folder === target || goesIntoItself(dragged.folder, dragged.entries, target)) return
  if (dragged.machine !== machine) return copyHere(engine, dragged, target)
  const isMove = await ask({
    title: t('Move {{count|entry|entries}}?', { count: dragged.entries.length }),
    content: shownPath(target),
    okText: t('Move'),
    cancelText: t('Cancel'),
  })
  if (isMove) await moveHere(changes, dragged, target)
}

/** Removes for good, after a question that says how much it is. */
export async function removeChosen(changes: FolderChanges, folder: string, chosen: readonly Entry[]): Promise<void> {
  const paths = chosen.map(({ name }) => joined(folder, name))
  try {
    const { files, folders, bytes, is_more } = await measure(paths)
    const [only] = chosen.length === 1 ? chosen : []
    confirmDanger({
      title: only
        ? t('Delete {{name}}?', { name: only.name })
        : t('Delete {{count|entry|entries}}?', { count: chosen.length }),
      content: is_more
        ? t('It holds more than {{files}} files. They cannot be restored.', { files })
        : t('{{files|file|files}} and {{folders|folder|folders}}, {{size}} in all. They cannot be restored.', {
            files,
            folders,
            size: sizeText(bytes),
          }),
      okText: t('Delete'),
      onOk: () => removeAll(changes, folder, chosen),
    })
  } catch (error) {
    say(error)
  }
}

async function removeAll(changes: FolderChanges, folder: string, chosen: readonly Entry[]): Promise<void> {
  for (const { name } of chosen) {
    try {
      await remove(joined(folder, name))
    } catch (error) {
      sayAbout(name, error)
      break
    }
  }
  changes.say(folder)
}
