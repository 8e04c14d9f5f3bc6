import { type DragEvent, useState } from 'react'
import { showSuccess } from '../../../design/dialogs/feedback.tsx'
import { t } from '../../../lib/i18n.ts'
import type { Entry } from '../folder/entries.ts'
import type { Listing } from '../folder/files-api.ts'
import type { FolderChanges } from '../folder/folder-changes.ts'
import { joined } from '../folder/paths.ts'
import { goesIntoItself } from '../transfer/copy-tree.ts'
import { readDropped } from '../transfer/dropped.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'
import { agreesToCopy, copyHere, type MovedFiles, moveHere, placeFiles, uploadHere } from './pane-work.ts'

const DRAG_TYPE = 'application/x-sallyport-files'

/** The files being dragged inside of this window: a drag does not tell it before it is dropped. */
let dragged: MovedFiles | undefined
/** What Ctrl-C or Ctrl-X has taken. */
let copied: (MovedFiles & { isMove: boolean }) | undefined

export interface FileMovesOptions {
  path: string
  listing: Listing | undefined
  chosen: readonly Entry[]
  engine: TransferEngine
  changes: FolderChanges
}

/**
 * Files that come to a pane and go from it: by dragging, also from the desk, and by Ctrl-C, Ctrl-X
 * and Ctrl-V.
 */
export function useFileMoves({ path, listing, chosen, engine, changes }: FileMovesOptions) {
  /**
   * The folder that a drop would go into, `folder` undefined for the pane's own; undefined while
   * nothing hovers.
   */
  const [drop, setDrop] = useState<{ folder: string | undefined }>()
  const machine = listing?.machine ?? null

  const handleDragStart = (event: DragEvent, taken: readonly Entry[]) => {
    dragged = listing?.may_download ? { folder: path, entries: taken, machine } : undefined
    if (!dragged) return event.preventDefault()
    event.dataTransfer.effectAllowed = 'copyMove'
    event.dataTransfer.setData(DRAG_TYPE, path)
  }
  const handleDragOver = (event: DragEvent, folder: string | undefined) => {
    const isOurs = dragged !== undefined && event.dataTransfer.types.includes(DRAG_TYPE)
    if (!isOurs && !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    event.stopPropagation()
    const isAccepted = listing?.may_upload && !(isOurs && dragged?.folder === path && folder === undefined)
    event.dataTransfer.dropEffect = isAccepted ? 'copy' : 'none'
    if (!drop || drop.folder !== folder) setDrop(isAccepted ? { folder } : undefined)
  }
  const handleDrop = (event: DragEvent, folder: string | undefined) => {
    event.preventDefault()
    event.stopPropagation()
    setDrop(undefined)
    if (!listing?.may_upload) return
    const target = folder === undefined ? path : joined(path, folder)
    if (dragged && event.dataTransfer.types.includes(DRAG_TYPE))
      void placeFiles(engine, changes, dragged, target, machine)
    // The browser gives the files only while the drop is being handled.
    else void uploadHere(engine, readDropped(event.dataTransfer), target)
  }

  /** From machine to machine nothing is moved: a person says whether a copy will do. */
  const paste = async (taken: NonNullable<typeof copied>) => {
    if (!taken.isMove) return copyHere(engine, taken, path)
    const isWithin = taken.machine === machine
    if (!isWithin && !(await agreesToCopy(taken.entries.length))) return
    if (copied === taken) copied = undefined
    await (isWithin ? moveHere(changes, taken, path) : copyHere(engine, taken, path))
  }

  /** True when the letter meant something. */
  const handleCommand = (letter: string): boolean => {
    const mayTake = chosen.length > 0 && listing?.may_download
    if (mayTake && (letter === 'c' || (letter === 'x' && listing.may_upload))) {
      copied = { folder: path, entries: chosen, machine, isMove: letter === 'x' }
      showSuccess(t('{{count}} taken: press Ctrl-V in the folder where they should go.', { count: chosen.length }))
      return true
    }
    if (
      letter !== 'v' ||
      !copied ||
      !listing?.may_upload ||
      copied.folder === path ||
      goesIntoItself(copied.folder, copied.entries, path)
    )
      return false
    void paste(copied)
    return true
  }

  return { drop, leave: () => setDrop(undefined), handleDragStart, handleDragOver, handleDrop, handleCommand }
}
