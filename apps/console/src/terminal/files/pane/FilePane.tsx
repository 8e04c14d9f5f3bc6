import { Dropdown, Empty, Input } from 'antd'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { type Entry, kept, NOTHING, type Order, orderAfter, type Selection, shownEntries } from '../folder/entries.ts'
import { FileList } from '../folder/FileList.tsx'
import { findFile, makeFolder, rename } from '../folder/files-api.ts'
import type { FolderChanges } from '../folder/folder-changes.ts'
import { MachinePicker } from '../folder/MachinePicker.tsx'
import { useMachineName } from '../folder/machine-names.ts'
import { PathBar } from '../folder/PathBar.tsx'
import { assetOf, joined, parentOf } from '../folder/paths.ts'
import { useFolder } from '../folder/use-folder.ts'
import { chosenFiles, type Dropped } from '../transfer/dropped.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'
import { FileTools } from './FileTools.tsx'
import { ManualSignIn } from './ManualSignIn.tsx'
import { type PaneAction, type PaneContent, paneActions } from './pane-actions.tsx'
import { copyHere, moveHere, removeChosen, saveChosen, uploadHere } from './pane-work.ts'
import { useCarrying } from './use-carrying.ts'

const NameDialog = lazy(() => import('./NameDialog.tsx').then((module) => ({ default: module.NameDialog })))
const PreviewDialog = lazy(() => import('./PreviewDialog.tsx').then((module) => ({ default: module.PreviewDialog })))
const DetailsDialog = lazy(() => import('./DetailsDialog.tsx').then((module) => ({ default: module.DetailsDialog })))

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

/** One side: machine, path, tools and the files of a folder. */
export function FilePane({
  label,
  isActive,
  path,
  other,
  engine,
  changes,
  onPath,
  onActive,
  onContent,
}: FilePaneProps) {
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(HIDDEN_KEY) === '1')
  const { listing, error, loading, reload } = useFolder(path, hidden, changes)
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>({ by: 'name', down: false })
  const [selection, setSelection] = useState<Selection>(NOTHING)
  const [dialog, setDialog] = useState<ReactNode>()
  const isClosing = useRef(false)
  const box = useRef<HTMLDivElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const machine = useMachineName(path)
  const asset = assetOf(path)

  const entries = useMemo(() => shownEntries(listing?.entries ?? [], { filter, order }), [listing, filter, order])
  useEffect(
    () =>
      setSelection((now) =>
        kept(
          now,
          entries.map(({ name }) => name),
        ),
      ),
    [entries],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other pane is told of what is here, not of how it is told
  useEffect(() => onContent({ path, listing }), [path, listing])
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder begins without a selection
  useEffect(() => {
    if (!isFirst.current) {
      setSelection(NOTHING)
      setFilter('')
    }
    isFirst.current = false
  }, [path])

  const chosen = entries.filter(({ name }) => selection.chosen.has(name))
  const here = { path, listing, chosen }
  const close = () => {
    isClosing.current = true
    setDialog(undefined)
  }
  // What had the focus went with the dialog: the keyboard goes on where it was.
  useEffect(() => {
    if (dialog === undefined && isClosing.current) box.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()
    isClosing.current = false
  }, [dialog])
  const show = (content: ReactNode) => setDialog(<Suspense fallback={null}>{content}</Suspense>)

  const open = async (entry: Entry) => {
    const to = joined(path, entry.name)
    if (entry.kind === 'folder') return onPath(to)
    const leadsTo = entry.kind === 'link' ? (await findFile(to).catch(() => undefined))?.target_kind : entry.kind
    if (leadsTo === 'folder') return onPath(to)
    if (leadsTo === 'file' && listing?.may_download)
      show(<PreviewDialog path={to} size={entry.size ?? 0} onClose={close} />)
    else show(<DetailsDialog path={to} onClose={close} />)
  }

  const askName = (title: string, initial: string, work: (name: string) => Promise<unknown>) =>
    show(
      <NameDialog
        title={title}
        initial={initial}
        onClose={close}
        onName={async (name) => {
          await work(name)
          setSelection({ chosen: new Set([name]), cursor: name, anchor: name })
          changes.say(path)
        }}
      />,
    )

  const actions = paneActions({
    here,
    other,
    hidden,
    run: {
      up: () => onPath(parentOf(path)),
      reload,
      newFolder: () => askName(t('New folder'), '', (name) => makeFolder(joined(path, name))),
      uploadFiles: () => files.current?.click(),
      uploadFolder: () => folders.current?.click(),
      download: () => saveChosen(path, chosen),
      open: () => chosen[0] && void open(chosen[0]),
      rename: () => {
        const [one] = chosen
        if (one) askName(t('Rename'), one.name, (name) => rename(joined(path, one.name), joined(path, name)))
      },
      copy: () =>
        other &&
        void copyHere(engine, { folder: path, entries: chosen, machine: listing?.machine ?? null }, other.path),
      move: () =>
        other &&
        void moveHere(changes, { folder: path, entries: chosen, machine: listing?.machine ?? null }, other.path),
      details: () => chosen[0] && show(<DetailsDialog path={joined(path, chosen[0].name)} onClose={close} />),
      remove: () => void removeChosen(changes, path, chosen),
      hidden: () => {
        sessionStorage.setItem(HIDDEN_KEY, hidden ? '0' : '1')
        setHidden(!hidden)
      },
    },
  })
  const does = (key: PaneAction['key']) => {
    const action = actions.find((one) => one.key === key)
    if (action && !action.reason) action.run()
    return true
  }
  const handleKey = (key: string) => {
    if (key === 'Backspace') return does('up')
    if (key === 'F2') return does('rename')
    if (key === 'Delete') return does('remove')
    return false
  }
  const carrying = useCarrying({ path, listing, chosen, engine, changes })
  const upload = (dropped: Dropped) => void uploadHere(engine, dropped, path)
  const menu = actions.filter(({ inMenu }) => inMenu === (chosen.length ? 'file' : 'space') || inMenu === 'both')
  return (
    <section
      className={`fm-pane${isActive ? ' fm-active' : ''}${carrying.drop && carrying.drop.folder === undefined ? ' fm-drop' : ''}`}
      aria-label={label}
      onFocusCapture={onActive}
      onPointerDownCapture={onActive}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) carrying.leave()
      }}
    >
      <div className="fm-where">
        <MachinePicker value={machine === undefined ? undefined : asset} name={machine} onPath={onPath} />
        <Input
          allowClear
          size="small"
          className="fm-filter"
          placeholder={t('Filter')}
          aria-label={t('Filter')}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      <PathBar path={path} machine={machine} onPath={onPath} />
      <FileTools actions={actions} />
      <Dropdown
        trigger={['contextMenu']}
        menu={{
          items: menu.map(({ key, text, icon, reason, danger }) => ({
            key,
            icon,
            label: text,
            disabled: reason !== undefined,
            ...(reason ? { title: reason } : {}),
            ...(danger ? { danger } : {}),
          })),
          onClick: ({ key, domEvent }) => {
            domEvent.stopPropagation()
            does(key as PaneAction['key'])
          },
        }}
      >
        <div ref={box} className="fm-box" aria-busy={loading}>
          <FileList
            label={t('Files in {{pane}}', { pane: label })}
            entries={entries}
            order={order}
            selection={selection}
            onOrder={(by) => setOrder(orderAfter(order, by))}
            onSelection={setSelection}
            onOpen={(entry) => void open(entry)}
            onKey={handleKey}
            onCommand={carrying.handleCommand}
            onDragStart={(event, name) =>
              carrying.handleDragStart(
                event,
                entries.filter((one) =>
                  selection.chosen.has(name) ? selection.chosen.has(one.name) : one.name === name,
                ),
              )
            }
            onDragOver={carrying.handleDragOver}
            onDrop={carrying.handleDrop}
            dropFolder={carrying.drop?.folder}
          />
          {error && (
            <div className="fm-error" role="alert">
              <p>{error}</p>
              <ManualSignIn path={path} onSignedIn={reload} />
            </div>
          )}
          {!error && listing && !entries.length && (
            <Empty
              className="fm-empty"
              image={Empty.PRESENTED_IMAGE_SIMPLE}
              description={
                filter
                  ? t('No matching found')
                  : listing.is_machine
                    ? listing.may_upload
                      ? t('Nothing here. Drop files to upload them.')
                      : t('Nothing here.')
                    : t('No machines with files are granted to you here.')
              }
            />
          )}
        </div>
      </Dropdown>
      <div className="fm-count" role="status">
        {loading && !listing
          ? t('Loading')
          : chosen.length
            ? t('{{chosen}} of {{count}} selected', { chosen: chosen.length, count: entries.length })
            : t('Entries: {{count}}', { count: entries.length })}
      </div>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-upload="files"
        onChange={({ target }) => {
          if (target.files) upload(chosenFiles(target.files))
          target.value = ''
        }}
      />
      <input
        ref={(element) => {
          folders.current = element
          // React knows no such attribute.
          element?.setAttribute('webkitdirectory', '')
        }}
        type="file"
        hidden
        data-upload="folder"
        onChange={({ target }) => {
          if (target.files) upload(chosenFiles(target.files))
          target.value = ''
        }}
      />
      {dialog}
    </section>
  )
}
