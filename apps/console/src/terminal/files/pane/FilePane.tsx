import { useEffect, useRef, useState } from 'react'
import { SearchInput } from '../../../design/inputs/SearchInput.tsx'
import { type MenuItem, useMenu } from '../../../design/popups/menu.tsx'
import { t } from '../../../lib/i18n.ts'
import { orderAfter } from '../folder/entries.ts'
import { FileList } from '../folder/FileList.tsx'
import type { FolderChanges } from '../folder/folder-changes.ts'
import { MachinePicker } from '../folder/MachinePicker.tsx'
import { useMachineName } from '../folder/machine-names.ts'
import { PathBar } from '../folder/PathBar.tsx'
import { assetOf } from '../folder/paths.ts'
import { useFolder } from '../folder/use-folder.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'
import { FileTools } from './FileTools.tsx'
import { PaneCount, PaneNotice } from './PaneNotice.tsx'
import type { PaneAction, PaneContent } from './pane-actions.tsx'
import { uploadHere } from './pane-work.ts'
import { UploadInputs } from './UploadInputs.tsx'
import { useFileMoves } from './use-file-moves.ts'
import { usePaneActions } from './use-pane-actions.ts'
import { usePaneDialogs } from './use-pane-dialogs.tsx'
import { type ShownFiles, useShownFiles } from './use-shown-files.ts'

const HIDDEN_KEY = 'file_manager_hidden'

export interface FilePaneProps {
  label: string
  isActive: boolean
  path: string
  other: PaneContent | undefined
  engine: TransferEngine
  changes: FolderChanges
  onPath: (path: string) => void
  onActive: () => void
  onContent: (content: PaneContent) => void
}

/** Actions that a key does, beside those of the list. */
const KEYS: Readonly<Record<string, PaneAction['key']>> = { Backspace: 'up', F2: 'rename', Delete: 'remove' }

/** Whether hidden files are shown, kept for as long as the window is. */
function useHidden() {
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(HIDDEN_KEY) === '1')
  return [
    hidden,
    (next: boolean) => {
      sessionStorage.setItem(HIDDEN_KEY, next ? '1' : '0')
      setHidden(next)
    },
  ] as const
}

/** One side: machine, path, tools and the files of a folder. */
export function FilePane(props: FilePaneProps) {
  const { label, isActive, path, engine, changes, onPath, onActive, onContent } = props
  const [hidden, setHidden] = useHidden()
  const folder = useFolder(path, hidden, changes)
  const { listing, loading } = folder
  const shown = useShownFiles(path, listing)
  const box = useRef<HTMLDivElement>(null)
  const dialogs = usePaneDialogs(box)
  const { actions, uploads, open, does } = usePaneActions({ ...props, folder, shown, dialogs, hidden, setHidden })
  const moves = useFileMoves({ path, listing, chosen: shown.chosen, engine, changes })
  const machine = useMachineName(path)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other pane depends on the content here, not on the function
  useEffect(() => onContent({ path, listing }), [path, listing])
  const menu = useMenu({
    items: paneMenu(actions, shown.chosen.length > 0),
    onChoose: (key) => does(key as PaneAction['key']),
  })
  const isDropTarget = moves.drop !== undefined && moves.drop.folder === undefined
  return (
    <section
      className={`fm-pane${isActive ? ' fm-active' : ''}${isDropTarget ? ' fm-drop' : ''}`}
      aria-label={label}
      onFocusCapture={onActive}
      onPointerDownCapture={onActive}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) moves.leave()
      }}
    >
      <div className="fm-where">
        <MachinePicker value={machine === undefined ? undefined : assetOf(path)} name={machine} onPath={onPath} />
        <SearchInput
          isSmall
          className="fm-filter"
          placeholder={t('Filter')}
          aria-label={t('Filter')}
          value={shown.filter}
          onChange={shown.setFilter}
        />
      </div>
      <PathBar path={path} pane={label} machine={machine} onPath={onPath} />
      <FileTools actions={actions} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the menu of what is chosen in the list */}
      <div ref={box} className="fm-box" aria-busy={loading} onContextMenu={menu.openAtPointer}>
        <FileList
          label={t('Files in {{pane}}', { pane: label })}
          entries={shown.entries}
          order={shown.order}
          selection={shown.selection}
          onOrder={(by) => shown.setOrder(orderAfter(shown.order, by))}
          onSelection={shown.setSelection}
          onOpen={(entry) => void open(entry)}
          onKey={(key) => {
            const action = KEYS[key]
            if (action) does(action)
            return action !== undefined
          }}
          onCommand={moves.handleCommand}
          onDragStart={(event, name) => moves.handleDragStart(event, draggedWith(shown, name))}
          onDragOver={moves.handleDragOver}
          onDrop={moves.handleDrop}
          dropFolder={moves.drop?.folder}
        />
        <PaneNotice folder={folder} path={path} shown={shown} />
      </div>
      {menu.popup}
      <PaneCount folder={folder} shown={shown} />
      <UploadInputs {...uploads} onUpload={(chosen) => void uploadHere(engine, chosen, path)} />
      {dialogs.dialog}
    </section>
  )
}

/** The entries of a drag that begins at this name: all that is chosen if it is, else it alone. */
const draggedWith = ({ entries, selection }: ShownFiles, name: string) =>
  entries.filter((one) => (selection.chosen.has(name) ? selection.chosen.has(one.name) : one.name === name))

/** The menu of the right mouse button, for what is chosen or for the space between. */
const paneMenu = (actions: readonly PaneAction[], hasChosen: boolean): MenuItem[] =>
  actions
    .filter(({ inMenu }) => inMenu === (hasChosen ? 'file' : 'space') || inMenu === 'both')
    .map(({ key, text, icon, reason, danger }) => ({
      key,
      icon,
      label: text,
      ...(reason ? { disabled: true, title: reason } : {}),
      ...(danger ? { danger } : {}),
    }))
