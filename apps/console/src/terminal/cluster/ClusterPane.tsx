import '../workbench/workbench.css'
import '../workbench/schema.css'
import './cluster.css'
import { Input, Select } from 'antd'
import { ArrowLeftIcon, RotateCwIcon, SquareIcon } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import { useFadingNotice } from '../session/desktop/use-fading-notice.ts'
import { PaneWords } from '../session/PaneWords.tsx'
import { type ListChanges, type QuestionsOptions, useQuestions } from '../session/use-questions.ts'
import type { TabState } from '../tabs/tabs.ts'
import { useFocusBack } from '../use-focus-back.ts'
import type { OpenContainer } from './Containers.tsx'
import { isNamespaced, KIND_GROUPS, KIND_TITLES, type KindName } from './kinds.ts'
import { NamespaceSelect } from './NamespaceSelect.tsx'
import { ObjectDetail } from './ObjectDetail.tsx'
import { ObjectTable } from './ObjectTable.tsx'
import { type Listing, type ObjectPlace, type Sorting, shownObjects } from './objects.ts'
import { useFollowedList } from './use-followed-list.ts'
import { type ObjectList, useObjectList } from './use-object-list.ts'

export interface ClusterPaneProps extends QuestionsOptions {
  state: TabState
  active: boolean
  watermark: string | undefined
  /** Where one begins to look; `default`, unless given. */
  namespace?: string | undefined
  /** Opens a container in another tab; unless given, none can be. */
  onContainer?: OpenContainer | undefined
  onReconnect: () => void
}

/** The objects of a cluster: kinds, a table of one of them, and what is known of one object. Hidden ones stay connected. */
export function ClusterPane(props: ClusterPaneProps) {
  const { state, active, watermark, onContainer, onReconnect } = props
  const news = useRef<(changes: ListChanges) => void>(() => {})
  const session = useQuestions({ ...props, onChanges: (changes) => news.current(changes) })
  const { status, ask } = session
  const start = session.start?.dialect === 'kubernetes' ? session.start : undefined
  const isConnected = state === 'connected' && start !== undefined
  const [listing, setListing] = useState<Listing>({
    kind: 'pods',
    namespace: props.namespace ?? 'default',
    selector: '',
  })
  const { kind, namespace, selector } = listing
  const { list, begin, change, more, stop } = useObjectList(ask, isConnected, listing)
  const { reads, since } = list
  const following = { isOn: active && isConnected, listing, reads, since, follow: session.follow }
  news.current = useFollowedList({ ...following, onChanges: change, onLost: begin })
  const [filter, setFilter] = useState('')
  const [sorting, setSorting] = useState<Sorting>()
  const [isWide, setWide] = useState(false)
  /** Chosen once more, it is read anew. */
  const [chosen, setChosen] = useState<{ place: ObjectPlace; n: number }>()
  const shown = useMemo(() => shownObjects(list.rows, { filter, sorting }), [list.rows, filter, sorting])
  useFadingNotice(status, session.setStatus)
  const box = useRef<HTMLElement>(null)
  useFocusBack(box, '[role=grid]', chosen !== undefined, '.kb-detail')
  useFocusBack(box, '[role=grid]', list.rows.length === 0)
  // What is looked for may stand in any page, and so may what comes first.
  const wantsAll = (filter.trim() !== '' || sorting !== undefined) && list.next !== '' && !list.isLoading
  const latestMore = useRef(more)
  latestMore.current = more
  useEffect(() => {
    if (wantsAll && !list.problem) latestMore.current(true)
  }, [wantsAll, list.problem])
  const onMore = useCallback(() => latestMore.current(false), [])

  const look = (to: Partial<Listing>) => {
    setListing((now) => ({ ...now, selector: '', ...to }))
    setFilter('')
    setSorting(undefined)
    setChosen(undefined)
  }
  const open = (place: ObjectPlace) => setChosen((now) => ({ place, n: (now?.n ?? 0) + 1 }))
  const withdraw = () => {
    // Otherwise the rest would be asked for at once.
    setFilter('')
    setSorting(undefined)
    stop(t('Stopped'))
    session.cancel()
  }
  const isEverywhere = isNamespaced(kind) && namespace === ''
  return (
    <section
      className="wt-pane wb kb"
      ref={box}
      hidden={!active}
      aria-label={t('Resources')}
      data-chosen={chosen !== undefined}
    >
      <div className="wb-bar">
        <Button
          type="text"
          size="small"
          className="kb-back"
          icon={<ArrowLeftIcon />}
          aria-label={t('Back to the list')}
          onClick={() => setChosen(undefined)}
        />
        <Select
          size="small"
          className="kb-kind"
          aria-label={t('Kind')}
          value={kind}
          onChange={(one) => look({ kind: one })}
          options={kindsFor(start?.mayNodes === true).map(({ title, kinds }) => ({
            label: title,
            options: kinds.map((one) => ({ value: one, label: t(KIND_TITLES[one]) })),
          }))}
        />
        {isNamespaced(kind) && (
          <NamespaceSelect
            {...{ ask, isConnected }}
            value={namespace}
            onChange={(one) => look({ namespace: one, selector })}
          />
        )}
        <Input
          size="small"
          allowClear
          className="wb-filter"
          placeholder={t('Filter the list')}
          aria-label={t('Filter the list')}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <Button size="small" aria-pressed={isWide} onClick={() => setWide(!isWide)}>
          {t('All columns')}
        </Button>
        <Button
          type="text"
          size="small"
          icon={<RotateCwIcon />}
          aria-label={t('Reload the list')}
          disabled={!isConnected}
          onClick={begin}
        />
        <Button size="small" icon={<SquareIcon />} disabled={!session.isAsking} onClick={withdraw}>
          {t('Stop')}
        </Button>
        <span className="wb-state">
          <span className="wb-count" role="status">
            {countOf(list, filter.trim() ? shown.length : undefined)}
          </span>
        </span>
      </div>
      <div className="wb-body">
        <Kinds chosen={kind} mayNodes={start?.mayNodes === true} onChoose={(one) => look({ kind: one })} />
        <div className="wb-work kb-work">
          {selector && (
            <p className="kb-selector">
              <span>{t('Only with the labels {{labels}}', { labels: selector })}</span>
              <Button size="small" onClick={() => look({})}>
                {t('Show all')}
              </Button>
            </p>
          )}
          {list.rows.length > 0 ? (
            <ObjectTable
              // What is looked for is shown from its beginning.
              key={`${kind} ${namespace} ${selector} ${filter}`}
              label={t(KIND_TITLES[kind])}
              {...{ list, shown, isWide, sorting, onMore }}
              showsNamespace={isEverywhere}
              onSort={setSorting}
              isChosen={(row) => row.name === chosen?.place.name && row.namespace === chosen.place.namespace}
              onChoose={(row) => open({ kind, namespace: row.namespace, name: row.name })}
            />
          ) : (
            !list.problem &&
            (list.next === undefined ? (
              isConnected && list.isLoading && <Skeleton lines={8} />
            ) : (
              <Nothing
                isEverywhere={isEverywhere || !isNamespaced(kind)}
                onEverywhere={() => look({ namespace: '' })}
              />
            ))
          )}
          {list.problem && (
            <div className="kb-problem" role="alert">
              <p className="wb-error">{list.problem}</p>
              <Button size="small" disabled={!isConnected} onClick={begin}>
                {t('Try again')}
              </Button>
            </div>
          )}
        </div>
        {chosen && isConnected && (
          <ObjectDetail
            key={`${props.attempt} ${chosen.n}`}
            place={chosen.place}
            {...{ ask, onContainer }}
            onGo={open}
            onPods={(labels) => look({ kind: 'pods', namespace: chosen.place.namespace, selector: labels })}
            onClose={() => setChosen(undefined)}
          />
        )}
      </div>
      <PaneWords {...{ status, state, watermark, onReconnect }} onAnswer={session.answer} />
    </section>
  )
}

/** Nodes are only for those who may see them. */
const kindsFor = (mayNodes: boolean) =>
  KIND_GROUPS.map(({ title, kinds }) => ({
    title: t(title),
    kinds: (Object.keys(kinds) as KindName[]).filter((one) => one !== 'nodes' || mayNodes),
  }))

interface KindsProps {
  chosen: KindName
  mayNodes: boolean
  onChoose: (kind: KindName) => void
}

function Kinds({ chosen, mayNodes, onChoose }: KindsProps) {
  return (
    <nav className="wb-schema kb-kinds" aria-label={t('Kinds of objects')}>
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

function Nothing({ isEverywhere, onEverywhere }: { isEverywhere: boolean; onEverywhere: () => void }) {
  if (isEverywhere) return <EmptyState title={t('There are none in this cluster')} />
  return (
    <EmptyState
      title={t('There are none in this namespace')}
      action={<Button onClick={onEverywhere}>{t('Show all namespaces')}</Button>}
    />
  )
}

/** How many there are, as far as that is known. */
function countOf({ rows, next, remaining, isLoading, isFull, problem }: ObjectList, found: number | undefined): string {
  const count = rows.length
  if (next === undefined) return ''
  if (found !== undefined && next !== '' && !problem && !isFull)
    return t('{{found}} of {{count}}, looking on', { found, count })
  if (found !== undefined) return t('{{found}} of {{count}}', { found, count })
  if (next === '') return t('{{count|object|objects}}', { count })
  if (isFull) return t('{{count|object|objects}} are loaded, and no more are', { count })
  if (remaining !== undefined) return t('{{count}} of {{all}} objects', { count, all: count + remaining })
  return isLoading
    ? t('{{count|object|objects}}, loading more', { count })
    : t('{{count|object|objects}} so far', { count })
}
