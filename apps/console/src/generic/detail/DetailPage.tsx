import { useQuery } from '@tanstack/react-query'
import { PencilIcon, Trash2Icon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { Status } from '../../design/Status.tsx'
import { ApiError, api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { endTab } from '../../navigation/open-tabs.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { addressOf } from '../../navigation/routes.ts'
import { AsOf } from '../rows/AsOf.tsx'
import { deleteRow } from '../rows/deleting.ts'
import { type QuickAction, whyNot } from '../view/actions.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { DetailView, FactGroup, RowState } from '../view/detail-view.ts'
import { rowTitle } from '../view/row-title.ts'
import { byRule, frozenByRootOrg, mayWrite, READ_ONLY } from '../view/write-rules.ts'
import { ChangesTab, hasChanges } from './ChangesTab.tsx'
import { DetailCard } from './DetailCard.tsx'
import { detailTitle, kindTitle } from './detail-title.ts'
import { NextSteps } from './NextSteps.tsx'
import { QuickActions } from './QuickActions.tsx'
import { RelationCard } from './RelationCard.tsx'
import { RowLost } from './RowLost.tsx'
import { TabPage } from './TabPage.tsx'
import { shownTab, type Tab } from './tab.ts'

/**
 * Detail page of a resource: a card of facts, quick actions, further tabs, Update and Delete (A2.85
 * to A2.90).
 */
export function DetailPage({ pages, base, title }: { pages: ResourcePages; base: string; title: string }) {
  const { path } = pages.definition
  const view: DetailView = pages.detail ?? {}
  const { id = '' } = useParams()
  const [query] = useSearchParams()
  const answer = useQuery({
    queryKey: keys.one(path, id),
    queryFn: ({ signal }) =>
      api.get<Row>(`${path}${encodeURIComponent(id)}/`, { query: pages.rowQuery?.(query), signal, quiet: true }),
  })
  const row = answer.data
  const { error } = answer
  // The row that was read before stays, unless it is gone or no longer this person's to see.
  const isLost = error instanceof ApiError && (error.status === 404 || error.status === 403)
  if (error && (isLost || !row))
    return (
      <PageFrame title={title} back>
        {error instanceof ApiError && error.status === 404 ? (
          <RowLost home={pages.home?.(undefined, query) ?? addressOf(`${base}List`) ?? '/'} />
        ) : (
          <LoadFailed error={error} onRetry={() => void answer.refetch()} />
        )}
      </PageFrame>
    )
  if (!row) return <ComingDetail title={kindTitle(title)} view={view} />
  const words = view.title?.(row) ?? rowTitle(pages, row)
  const lead = leadOf(view.lead?.(row) ?? [])
  const tabs = tabsOf(pages, base, row)
  const tab = shownTab(tabs, query.get('activeTab'))
  return (
    <PageFrame
      title={detailTitle(title, words)}
      kind={`${kindTitle(title)}:`}
      beside={<States states={view.states?.(row) ?? []} />}
      {...(lead ? { lead } : {})}
      back
      actions={<RowButtons pages={pages} base={base} row={row} words={words} tab={tab} />}
    >
      <AsOf read={answer} />
      {view.nextSteps && <NextSteps path={path} row={row} steps={view.nextSteps} />}
      <TabPage tabs={tabs} />
    </PageFrame>
  )
}

/** Parts of a line, set apart by dots; undefined when all are empty. */
function leadOf(parts: readonly ReactNode[]): ReactNode {
  const there = parts.filter((part) => part !== '' && part !== null && part !== undefined)
  if (there.length === 0) return undefined
  return there.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing else that tells them apart
    <span className="lead-part" key={at}>
      {part}
    </span>
  ))
}

function States({ states }: { states: readonly (RowState | undefined)[] }) {
  const known = states.filter((state) => state !== undefined)
  if (known.length === 0) return null
  return (
    <span className="row-states">
      {known.map(({ tone, words }) => (
        <Status key={words} tone={tone}>
          {words}
        </Status>
      ))}
    </span>
  )
}

/** Whether anything is beside the card of facts. */
const hasSide = (view: DetailView | undefined) => Boolean(view?.quickActions?.length || view?.side || view?.related)

/** Keeps the places of the page until its row is there. */
function ComingDetail({ title, view }: { title: string; view: DetailView }) {
  const { fields, groups = [] } = view
  const count = [fields ?? [], ...groups.map((group) => group.fields)].flat().length
  return (
    <PageFrame title={title} back>
      <div className={hasSide(view) ? 'detail-grid' : 'detail-grid single'}>
        <section className="panel">
          <div className="inside">
            <Skeleton lines={Math.min(Math.max(count, 3), 10)} />
          </div>
        </section>
        {hasSide(view) && (
          <section className="panel">
            <div className="inside">
              <Skeleton lines={4} />
            </div>
          </section>
        )}
      </div>
    </PageFrame>
  )
}

/** The card of facts with what is beside it, and the resource's own tabs. */
function tabsOf(pages: ResourcePages, base: string, row: Row): Tab[] {
  const { fields, groups, quickActions, top: Top, side: Side, related, tabs = [] } = pages.detail ?? {}
  const refresh = () => forget(pages.definition.path)
  const facts = () => (
    <>
      {Top && <Top row={row} refresh={refresh} />}
      <div className={hasSide(pages.detail) ? 'detail-grid' : 'detail-grid single'}>
        <DetailCard definition={pages.definition} row={row} items={fields ?? []} groups={withRecord(fields, groups)} />
        {hasSide(pages.detail) && (
          <div className="detail-side">
            {quickActions && <QuickActions row={row} actions={quickActions} refresh={refresh} />}
            {Side && <Side row={row} refresh={refresh} />}
            {related?.(row).map(({ title, ...list }) => (
              <RelationCard key={title} title={t(title)} related={list} />
            ))}
          </div>
        )}
      </div>
    </>
  )
  return [
    ...(fields ? [{ name: `${base}Detail`, title: t('Basic info'), content: facts }] : []),
    ...tabs
      .filter(({ has }) => has?.(row) !== false)
      .map(({ name, title, component: Content }) => ({
        name,
        title: t(title),
        content: () => <Content row={row} refresh={refresh} />,
      })),
    ...(hasChanges(pages) ? [{ name: 'Changes', title: t('Changes'), content: () => <ChangesTab id={row.id} /> }] : []),
  ]
}

/** What every row has, for those who script against it or ask who made it. */
const RECORD = {
  title: msg('Record'),
  fields: [
    { field: 'created_by', has: (row) => 'created_by' in row },
    { field: 'date_created', has: (row) => 'date_created' in row },
    { field: 'date_updated', has: (row) => 'date_updated' in row },
    { field: 'id', title: msg('ID'), copy: true },
  ],
} satisfies FactGroup

/** The groups of a page, and the record: what the page tells elsewhere is not told twice. */
function withRecord(fields: DetailView['fields'] = [], groups: DetailView['groups'] = []): readonly FactGroup[] {
  const shown = new Set(
    [...fields, ...groups.flatMap((group) => group.fields)].map((one) => (typeof one === 'string' ? one : one.field)),
  )
  return [...groups, { ...RECORD, fields: RECORD.fields.filter(({ field }) => !shown.has(field)) }]
}

/** What people come for; then Update and Delete, where this person may. */
function RowButtons(props: { pages: ResourcePages; base: string; row: Row; words: string; tab: string }) {
  const { pages, base, row, words, tab } = props
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [query] = useSearchParams()
  const { primary, actions: Actions, canUpdate, canDelete } = pages.detail ?? {}
  const update =
    canUpdate !== false && mayWrite(pages, 'update') ? addressOf(`${base}Update`, { id: row.id }) : undefined
  // Delete stays allowed in the root organization (A6.32).
  const deletable = canDelete !== false && mayWrite(pages, 'destroy')
  const leave = () => {
    endTab(pathname)
    return navigate(pages.home?.(row, query) ?? addressOf(`${base}List`) ?? '/')
  }
  return (
    <>
      {Actions && <Actions row={row} tab={tab} refresh={() => forget(pages.definition.path)} />}
      {primary && primary.has?.(row) !== false && <PrimaryButton action={primary} pages={pages} row={row} />}
      {update && (
        <Button
          icon={<PencilIcon />}
          whyDisabled={whyNot(frozenByRootOrg(pages) ? READ_ONLY() : byRule(canUpdate, row))}
          onClick={() => navigate(update)}
        >
          {t('Update')}
        </Button>
      )}
      {deletable && (
        <Button
          type="text"
          icon={<Trash2Icon />}
          whyDisabled={whyNot(byRule(canDelete, row))}
          onClick={() => {
            if (pages.deletion) pages.deletion(row, leave)
            else {
              const { name: resource, path, bearsRights } = pages.definition
              deleteRow({ resource, path, bearsRights }, row, words, leave)
            }
          }}
        >
          {t('Delete')}
        </Button>
      )}
    </>
  )
}

function PrimaryButton({ action, pages, row }: { action: QuickAction; pages: ResourcePages; row: Row }) {
  const navigate = useNavigate()
  const refresh = () => forget(pages.definition.path)
  return (
    <Button
      type="primary"
      whyDisabled={whyNot(action.can?.(row))}
      onClick={() => void action.run(row, { refresh, go: (address) => void navigate(address), checked: false })}
    >
      {t(action.button ?? action.title)}
    </Button>
  )
}
