import type { Sorting } from '../grid/sorting.ts'
import '../pane/tool-pane.css'
import './cluster.css'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { PaneHead, type PaneTitle } from '../pane/PaneHead.tsx'
import { PaneMessages } from '../pane/PaneMessages.tsx'
import { useFadingNotice } from '../pane/use-fading-notice.ts'
import { useFocusBack } from '../pane/use-focus-back.ts'
import { type ListChanges, type QuestionsOptions, useQuestions } from '../pane/use-questions.ts'
import { useStarted } from '../pane/use-started.ts'
import { whyNotAsked } from '../pane/why-not.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { WatermarkText } from '../viewer.ts'
import { ClusterBar } from './ClusterBar.tsx'
import type { OpenContainer } from './Containers.tsx'
import { isNamespaced, KIND_TITLES, type KindName, kindsFor } from './kinds.ts'
import { ObjectDetail } from './ObjectDetail.tsx'
import { ObjectTable } from './ObjectTable.tsx'
import { type Listing, type ObjectPlace, shownObjects } from './objects.ts'
import { useFollowedList } from './use-followed-list.ts'
import { type ObjectList, useObjectList } from './use-object-list.ts'

export interface ClusterPaneProps extends QuestionsOptions {
  state: TabState
  active: boolean
  /** Beside others, it may be seen without having the keyboard. */
  isShown?: boolean
  title?: PaneTitle | undefined
  watermark: WatermarkText | undefined
  /** Where one begins to look; `default`, unless given. */
  namespace?: string | undefined
  /** Opens a container in another tab; unless given, none can be. */
  onContainer?: OpenContainer | undefined
  onReconnect: () => void
}

/** The objects of a cluster: kinds, a table of one of them, and what is known of one object. Hidden ones stay connected. */
export function ClusterPane(props: ClusterPaneProps) {
  const { state, active, isShown = active, watermark, onContainer, onReconnect } = props
  const { session: begun, onStarted } = useStarted(props)
  const news = useRef<(changes: ListChanges) => void>(() => {})
  const session = useQuestions({ ...props, onStarted, onChanges: (changes) => news.current(changes) })
  const { status, ask } = session
  const start = session.start?.dialect === 'kubernetes' ? session.start : undefined
  const isConnected = state === 'connected' && start !== undefined
  const mayNodes = start?.mayNodes === true
  const [listing, setListing] = useState<Listing>({
    kind: 'pods',
    namespace: props.namespace ?? 'default',
    selector: '',
  })
  const { kind, namespace, selector } = listing
  const { list, begin, change, more, stop } = useObjectList(ask, isConnected, listing)
  const { reads, since } = list
  const following = { isOn: isShown && isConnected, listing, reads, since, follow: session.follow }
  news.current = useFollowedList({ ...following, onChanges: change, onLost: begin })
  const [filter, setFilter] = useState('')
  const [sorting, setSorting] = useState<Sorting>()
  const [isWide, setWide] = useState(false)
  const { chosen, open, close } = useChosenObject()
  const shown = useMemo(() => shownObjects(list.rows, { filter, sorting }), [list.rows, filter, sorting])
  useFadingNotice(status, session.setStatus)
  const box = useRef<HTMLElement>(null)
  useFocusBack(box, '[role=grid]', chosen !== undefined, '.kb-detail')
  useFocusBack(box, '[role=grid]', list.rows.length === 0)
  const onMore = useMore(list, more, filter.trim() !== '' || sorting !== undefined)

  const look = (to: Partial<Listing>) => {
    setListing((now) => ({ ...now, selector: '', ...to }))
    setFilter('')
    setSorting(undefined)
    close()
  }
  const withdraw = () => {
    // With a filter the rest would be loaded at once.
    setFilter('')
    setSorting(undefined)
    stop(t('Stopped'))
    session.cancel()
  }
  return (
    <section
      className="wt-pane tool-pane kb"
      ref={box}
      hidden={!isShown}
      aria-label={t('Resources')}
      data-chosen={chosen !== undefined}
    >
      <PaneHead title={props.title} session={begun} state={state} watchers={status.watchers} />
      <ClusterBar
        {...{ ask, isConnected, mayNodes, listing, list, filter, isWide }}
        isAsking={session.isAsking}
        found={filter.trim() ? shown.length : undefined}
        onLook={look}
        onFilter={setFilter}
        onWide={setWide}
        onReload={begin}
        onStop={withdraw}
        onBack={close}
      />
      <div className="tool-pane-body">
        <Kinds {...{ mayNodes }} chosen={kind} onChoose={(one) => look({ kind: one })} />
        <div className="tool-pane-work kb-work">
          {selector && <Selector labels={selector} onAll={() => look({})} />}
          {list.rows.length > 0 ? (
            <ObjectTable
              // Another list is shown from its beginning.
              key={`${kind} ${namespace} ${selector} ${filter}`}
              label={t(KIND_TITLES[kind])}
              {...{ list, shown, isWide, sorting, onMore }}
              showsNamespace={isNamespaced(kind) && namespace === ''}
              onSort={setSorting}
              isChosen={(row) => row.name === chosen?.place.name && row.namespace === chosen.place.namespace}
              onChoose={(row) => open({ kind, namespace: row.namespace, name: row.name })}
            />
          ) : (
            <NoRows {...{ list, listing, isConnected }} onEverywhere={() => look({ namespace: '' })} />
          )}
          {list.problem && <Problem text={list.problem} onRetry={isConnected ? begin : undefined} />}
        </div>
        {chosen && isConnected && (
          <ObjectDetail
            key={`${props.attempt} ${chosen.n}`}
            place={chosen.place}
            {...{ ask, onContainer }}
            onGo={open}
            onPods={(labels) => look({ kind: 'pods', namespace: chosen.place.namespace, selector: labels })}
            onClose={close}
          />
        )}
      </div>
      <PaneMessages
        {...{ status, state, watermark, onReconnect, target: props.target }}
        isEmpty={list.rows.length === 0}
        onAnswer={session.answer}
      />
    </section>
  )
}

/** The object whose details are shown; `n` counts: one that is chosen again is read again. */
function useChosenObject() {
  const [chosen, setChosen] = useState<{ place: ObjectPlace; n: number }>()
  const open = (place: ObjectPlace) => setChosen((now) => ({ place, n: (now?.n ?? 0) + 1 }))
  return { chosen, open, close: () => setChosen(undefined) }
}

/** Loads the next page. A filter or an order needs all pages: then they are loaded at once. */
function useMore(list: ObjectList, more: (isAll: boolean) => void, needsAll: boolean): () => void {
  const wantsAll = needsAll && list.next !== '' && !list.isLoading
  const latest = useRef(more)
  latest.current = more
  useEffect(() => {
    if (wantsAll && !list.problem) latest.current(true)
  }, [wantsAll, list.problem])
  return useCallback(() => latest.current(false), [])
}

interface KindsProps {
  chosen: KindName
  mayNodes: boolean
  onChoose: (kind: KindName) => void
}

function Kinds({ chosen, mayNodes, onChoose }: KindsProps) {
  return (
    <nav className="tool-pane-side kb-kinds" aria-label={t('Kinds of objects')}>
      {kindsFor(mayNodes).map(({ title, kinds }) => (
        <div key={title}>
          <h2>{title}</h2>
          {kinds.map((kind) => (
            <button
              type="button"
              key={kind}
              aria-current={kind === chosen ? 'true' : undefined}
              onClick={() => onChoose(kind)}
            >
              {t(KIND_TITLES[kind])}
            </button>
          ))}
        </div>
      ))}
    </nav>
  )
}

/** The labels that the listed objects have. */
function Selector({ labels, onAll }: { labels: string; onAll: () => void }) {
  return (
    <p className="kb-selector">
      <span>{t('Only with the labels {{labels}}', { labels })}</span>
      <Button size="small" onClick={onAll}>
        {t('Show all')}
      </Button>
    </p>
  )
}

interface NoRowsProps {
  list: ObjectList
  listing: Listing
  isConnected: boolean
  onEverywhere: () => void
}

/** In place of the table: the list is being read, or is empty. */
function NoRows({ list, listing, isConnected, onEverywhere }: NoRowsProps) {
  if (list.problem) return null
  if (list.next === undefined) return isConnected && list.isLoading && <Skeleton lines={8} />
  if (listing.namespace === '' || !isNamespaced(listing.kind))
    return <EmptyState title={t('There are none in this cluster')} />
  return (
    <EmptyState
      title={t('There are none in this namespace')}
      action={<Button onClick={onEverywhere}>{t('Show all namespaces')}</Button>}
    />
  )
}

/** Why the list is not whole; `onRetry` undefined: not now. */
function Problem({ text, onRetry }: { text: string; onRetry: (() => void) | undefined }) {
  return (
    <div className="kb-problem" role="alert">
      <p className="tool-pane-error">{text}</p>
      <Button size="small" whyDisabled={whyNotAsked(onRetry !== undefined)} onClick={onRetry}>
        {t('Try again')}
      </Button>
    </div>
  )
}
