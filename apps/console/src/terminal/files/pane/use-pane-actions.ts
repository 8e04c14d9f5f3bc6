import { useRef } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { Entry } from '../folder/entries.ts'
import { findFile, makeFolder, rename } from '../folder/files-api.ts'
import type { FolderChanges } from '../folder/folder-changes.ts'
import { joined, parentOf } from '../folder/paths.ts'
import type { Folder } from '../folder/use-folder.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'
import { type PaneAction, type PaneContent, paneActions } from './pane-actions.tsx'
import { copyHere, moveHere, removeChosen, saveChosen } from './pane-work.ts'
import type { usePaneDialogs } from './use-pane-dialogs.tsx'
import type { ShownFiles } from './use-shown-files.ts'

interface PaneActionsOptions {
  path: string
  folder: Folder
  other: PaneContent | undefined
  shown: ShownFiles
  dialogs: ReturnType<typeof usePaneDialogs>
  engine: TransferEngine
  changes: FolderChanges
  hidden: boolean
  setHidden: (hidden: boolean) => void
  onPath: (path: string) => void
}

/** All that can be done in a pane, and the ways to do it: by its key, by opening an entry. */
export function usePaneActions({
  path,
  folder: { listing, reload },
  other,
  shown: { chosen, setSelection },
  dialogs,
  engine,
  changes,
  hidden,
  setHidden,
  onPath,
}: PaneActionsOptions) {
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const [first] = chosen
  const dragged = { folder: path, entries: chosen, machine: listing?.machine ?? null }

  const open = async (entry: Entry) => {
    const to = joined(path, entry.name)
    if (entry.kind === 'folder') return onPath(to)
    const leadsTo = entry.kind === 'link' ? (await findFile(to).catch(() => undefined))?.target_kind : entry.kind
    if (leadsTo === 'folder') return onPath(to)
    if (leadsTo === 'file' && listing?.may_download) dialogs.preview(to, entry.size ?? 0)
    else dialogs.details(to)
  }
  const askName = (title: string, initial: string, work: (name: string) => Promise<unknown>) =>
    dialogs.askName(title, initial, async (name) => {
      await work(name)
      setSelection({ chosen: new Set([name]), cursor: name, anchor: name })
      changes.say(path)
    })
  const run: Record<PaneAction['key'], () => void> = {
    up: () => onPath(parentOf(path)),
    reload,
    newFolder: () => askName(t('New folder'), '', (name) => makeFolder(joined(path, name))),
    uploadFiles: () => files.current?.click(),
    uploadFolder: () => folders.current?.click(),
    download: () => saveChosen(path, chosen),
    open: () => first && void open(first),
    rename: () =>
      first && askName(t('Rename'), first.name, (name) => rename(joined(path, first.name), joined(path, name))),
    copy: () => other && void copyHere(engine, dragged, other.path),
    move: () => other && void moveHere(changes, dragged, other.path),
    details: () => first && dialogs.details(joined(path, first.name)),
    remove: () => void removeChosen(changes, path, chosen),
    hidden: () => setHidden(!hidden),
  }
  const actions = paneActions({ here: { path, listing, chosen }, other, hidden, run })
  return {
    actions,
    /** References of the boxes in which files and folders to upload are chosen. */
    uploads: { files, folders },
    open,
    /** Runs an action unless it cannot be done now. */
    does: (key: PaneAction['key']): void => {
      const action = actions.find((one) => one.key === key)
      if (action && !action.reason) action.run()
    },
  }
}
