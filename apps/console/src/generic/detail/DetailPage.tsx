import { useQuery } from '@tanstack/react-query'
import { PencilIcon, Trash2Icon } from 'lucide-react'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { ApiError, api, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { endTab } from '../../navigation/open-tabs.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { addressOf } from '../../navigation/routes.ts'
import { deleteRow } from '../rows/deleting.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import type { DetailView } from '../view/detail-view.ts'
import { rowTitle } from '../view/row-title.ts'
import { allows, frozenByRootOrg, mayWrite } from '../view/write-rules.ts'
import { DetailCard } from './DetailCard.tsx'
import { detailTitle } from './detail-title.ts'
import { QuickActions } from './QuickActions.tsx'
import { RowLost } from './RowLost.tsx'
import { TabPage } from './TabPage.tsx'
import type { Tab } from './tab.ts'

/**
 * Detail page of a resource: a card of facts, quick actions, further tabs, Update and Delete (spec
 * A2.85 to A2.90).
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
  if (answer.error)
    return (
      <PageFrame title={title} back>
        {answer.error instanceof ApiError && answer.error.status === 404 ? (
          <RowLost home={pages.home?.(undefined, query) ?? addressOf(`${base}List`) ?? '/'} />
        ) : (
          <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />
        )}
      </PageFrame>
    )
  if (!row)
    return (
      <PageFrame title={title} back>
        <span className="loading">{t('Loading')}</span>
      </PageFrame>
    )
  const words = view.title?.(row) ?? rowTitle(pages, row)
  return (
    <PageFrame
      title={detailTitle(title, words)}
      back
      actions={<RowButtons pages={pages} base={base} row={row} words={words} />}
    >
      <TabPage tabs={tabsOf(pages, base, row)} />
    </PageFrame>
  )
}

/** The card of facts with what stands beside it, and the resource's own tabs. */
function tabsOf(pages: ResourcePages, base: string, row: Row): Tab[] {
  const { fields, quickActions, side: Side, tabs = [] } = pages.detail ?? {}
  const refresh = () => forget(pages.definition.path)
  const hasSide = Boolean(quickActions?.length || Side)
  const facts = () => (
    <div className={hasSide ? 'detail-grid' : 'detail-grid single'}>
      <DetailCard definition={pages.definition} row={row} items={fields ?? []} />
      {hasSide && (
        <div className="detail-side">
          {quickActions && <QuickActions row={row} actions={quickActions} refresh={refresh} />}
          {Side && <Side row={row} refresh={refresh} />}
        </div>
      )}
    </div>
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
  ]
}

/** Update and Delete, where this person may. */
function RowButtons({ pages, base, row, words }: { pages: ResourcePages; base: string; row: Row; words: string }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [query] = useSearchParams()
  const { canUpdate, canDelete } = pages.detail ?? {}
  const update =
    canUpdate !== false && mayWrite(pages, 'update') ? addressOf(`${base}Update`, { id: row.id }) : undefined
  // Delete stays allowed in the root organisation (spec A6.32).
  const deletable = canDelete !== false && mayWrite(pages, 'destroy')
  const leave = () => {
    endTab(pathname)
    return navigate(pages.home?.(row, query) ?? addressOf(`${base}List`) ?? '/')
  }
  return (
    <>
      {update && (
        <Button
          icon={<PencilIcon />}
          disabled={frozenByRootOrg(pages) || !allows(canUpdate, row, true)}
          onClick={() => navigate(update)}
        >
          {t('Update')}
        </Button>
      )}
      {deletable && (
        <Button
          danger
          icon={<Trash2Icon />}
          disabled={!allows(canDelete, row, true)}
          onClick={() => {
            if (pages.deletion) pages.deletion(row, leave)
            else deleteRow(pages.definition.path, row, words, leave)
          }}
        >
          {t('Delete')}
        </Button>
      )}
    </>
  )
}
