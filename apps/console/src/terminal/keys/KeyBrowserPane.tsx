import '../pane/tool-pane.css'
import './keys.css'
import { ArrowLeftIcon, FolderIcon, FolderOpenIcon, KeyRoundIcon, RotateCwIcon, SquareIcon } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Select } from '../../design/boxes/Select.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { AssetTreeView } from '../assets/AssetTreeView.tsx'
import { treeRows } from '../assets/asset-tree.ts'
import { PaneHead, type PaneTitle } from '../pane/PaneHead.tsx'
import { PaneMessages } from '../pane/PaneMessages.tsx'
import { useFadingNotice } from '../pane/use-fading-notice.ts'
import { useFocusBack } from '../pane/use-focus-back.ts'
import { type QuestionsOptions, useQuestions } from '../pane/use-questions.ts'
import { useStarted } from '../pane/use-started.ts'
import { whyNotAsked, whyNotStopped } from '../pane/why-not.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { WatermarkText } from '../viewer.ts'
import { KeyView } from './KeyView.tsx'
import { type KeyName, keyTree } from './key-tree.ts'
import { KINDS } from './kinds.ts'
import { KEYS_MAX, type KeyList, useKeyList } from './use-key-list.ts'

export interface KeyBrowserPaneProps extends QuestionsOptions {
  state: TabState
  active: boolean
  /** Beside others, it may be seen without having the keyboard. */
  isShown?: boolean
  title?: PaneTitle | undefined
  watermark: WatermarkText | undefined
  onReconnect: () => void
}

/** The keys of a Redis server and what is in them. Hidden ones stay connected. */
export function KeyBrowserPane(props: KeyBrowserPaneProps) {
  const { state, active, isShown = active, watermark, onReconnect } = props
  const { session: begun, onStarted } = useStarted(props)
  const session = useQuestions({ ...props, onStarted })
  const { status, start, ask, isAsking } = session
  const database = start?.dialect === 'redis' ? start.database : undefined
  const isConnected = state === 'connected' && database !== undefined
  const { list, begin, more, stop } = useKeyList(ask, isConnected)
  /** Chosen once more, it is read again. */
  const [chosen, setChosen] = useState<{ name: KeyName; n: number }>()
  useFadingNotice(status, session.setStatus)
  const box = useRef<HTMLElement>(null)
  useFocusBack(box, '[role=tree]', chosen !== undefined, '.rk-key')
  const none = noneOf(list)
  const choose = (name: KeyName) => setChosen((now) => ({ name, n: (now?.n ?? 0) + 1 }))
  const withdraw = () => {
    stop()
    session.cancel()
  }
  return (
    <section
      className="wt-pane tool-pane rk"
      ref={box}
      hidden={!isShown}
      aria-label={t('Keys')}
      data-chosen={chosen !== undefined}
    >
      <PaneHead title={props.title} session={begun} state={state} watchers={status.watchers} />
      <div className="tool-pane-bar">
        <Button
          type="text"
          size="small"
          className="rk-back"
          icon={<ArrowLeftIcon />}
          aria-label={t('Back to the keys')}
          onClick={() => setChosen(undefined)}
        />
        <Search list={list} isReady={isConnected} onSearch={(text, type) => begin({ text, type })} />
        <Button
          size="small"
          icon={<SquareIcon />}
          whyDisabled={whyNotStopped(isConnected && (list.isLoading || isAsking))}
          onClick={withdraw}
        >
          {t('Stop')}
        </Button>
        <span className="tool-pane-state">
          {database !== undefined && <strong>{t('Database {{number}}', { number: database })}</strong>}
        </span>
      </div>
      <div className="tool-pane-body">
        <div className="tool-pane-side rk-list">
          {none ? (
            <p className="rk-hint" role="status">
              {none}
            </p>
          ) : (
            <Keys {...{ list }} onChoose={choose} />
          )}
          <p className="rk-foot">
            <span>{countOf(list)}</span>
            {list.next !== '0' && list.keys.length < KEYS_MAX && (
              <>
                <Button size="small" whyDisabled={whyNotAsked(isConnected, list.isLoading)} onClick={() => more(false)}>
                  {t('More keys')}
                </Button>
                <Button size="small" whyDisabled={whyNotAsked(isConnected, list.isLoading)} onClick={() => more(true)}>
                  {t('All keys')}
                </Button>
              </>
            )}
          </p>
          {list.problem && (
            <p className="tool-pane-problem" role="alert">
              {list.problem}
            </p>
          )}
        </div>
        <div className="tool-pane-work">
          {chosen === undefined ? (
            !none && <p className="rk-hint">{t('Choose a key to see what is in it.')}</p>
          ) : database === undefined ? (
            <Skeleton />
          ) : (
            <KeyView key={`${props.attempt} ${chosen.n}`} name={chosen.name} ask={ask} />
          )}
        </div>
      </div>
      <PaneMessages
        {...{ status, state, watermark, onReconnect, target: props.target }}
        isEmpty={list.keys.length === 0}
        onAnswer={session.answer}
      />
    </section>
  )
}

/** The searched text, once it is asked for. */
function Search({
  list,
  isReady,
  onSearch,
}: {
  list: KeyList
  isReady: boolean
  onSearch: (text: string, type: string) => void
}) {
  const [text, setText] = useState('')
  return (
    <>
      <SearchInput
        isSmall
        className="rk-search"
        whyDisabled={whyNotAsked(isReady)}
        placeholder={t('Text or pattern, as in user:*')}
        aria-label={t('Search the keys')}
        value={text}
        onChange={setText}
        onSearch={(value) => onSearch(value, list.search.type)}
      />
      <Select
        size="small"
        className="rk-type"
        aria-label={t('Type')}
        whyDisabled={whyNotAsked(isReady)}
        value={list.search.type}
        onChange={(type) => onSearch(text, type)}
        options={[{ value: '', label: t('Any type') }, ...Object.keys(KINDS).map((value) => ({ value, label: value }))]}
      />
      <Button
        type="text"
        size="small"
        icon={<RotateCwIcon />}
        aria-label={t('Reload the keys')}
        whyDisabled={whyNotAsked(isReady)}
        onClick={() => onSearch(text, list.search.type)}
      />
    </>
  )
}

function Keys({ list, onChoose }: { list: KeyList; onChoose: (key: KeyName) => void }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => treeRows(keyTree(list.keys, open)), [list.keys, open])
  const turn = (folder: string, isOpen: boolean) =>
    setOpen((now) => (isOpen ? new Set(now).add(folder) : new Set([...now].filter((one) => one !== folder))))
  return (
    <AssetTreeView
      rows={rows}
      label={t('Keys')}
      iconOf={({ meta, id }) =>
        meta.type === 'key' ? <KeyRoundIcon /> : open.has(id) ? <FolderOpenIcon /> : <FolderIcon />
      }
      onOpen={(folder) => turn(folder, true)}
      onClose={(folder) => turn(folder, false)}
      onChoose={({ id }) => onChoose(JSON.parse(id))}
      onMenu={() => {}}
    />
  )
}

/** Why the list is empty; nothing while it is not, or not known to be. */
function noneOf({ keys, next, isLoading, search }: KeyList): string {
  if (keys.length > 0 || next !== '0' || isLoading) return ''
  return search.text || search.type ? t('No key matches the search.') : t('There are no keys in this database.')
}

function countOf({ keys, total, next, isLoading }: KeyList): string {
  const count = keys.length
  if (isLoading) return t('{{count|key|keys}}, looking for more', { count })
  if (next === '0') return t('{{count|key|keys}}', { count })
  return total === undefined
    ? t('{{count|key|keys}} so far', { count })
    : t('{{count}} of {{all}} keys', { count, all: total })
}
