import { DeleteOutlined, EditOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { ApiError, api, errorText, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { endTab } from '../../navigation/open-tabs.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { addressOf } from '../../navigation/routes.ts'
import { deleteRow } from '../rows/deleting.ts'
import type { DetailView, ResourcePages } from '../view/define-pages.ts'
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
  const navigate = useNavigate()
  const { pathname } = useLocation()
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
          <div className="table-failed" role="alert">
            <p>{errorText(answer.error)}</p>
            <Button onClick={() => void answer.refetch()}>{t('Try again')}</Button>
          </div>
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
  const refresh = () => forget(path)
  const frozen = frozenByRootOrg(pages)
  const update =
    view.canUpdate !== false && mayWrite(pages, 'update') ? addressOf(`${base}Update`, { id: row.id }) : undefined
  // Delete stays allowed in the root organisation (spec A6.32).
  const deletable = view.canDelete !== false && mayWrite(pages, 'destroy')
  const tabs: Tab[] = []
  if (view.fields)
    tabs.push({
      name: `${base}Detail`,
      title: t('Basic info'),
      content: () => {
        const Side = view.side
        const side = Boolean(view.quickActions?.length || Side)
        return (
          <div className={side ? 'detail-grid' : 'detail-grid single'}>
            <DetailCard definition={pages.definition} row={row} items={view.fields ?? []} />
            {side && (
              <div className="detail-side">
                {view.quickActions && <QuickActions row={row} actions={view.quickActions} refresh={refresh} />}
                {Side && <Side row={row} refresh={refresh} />}
              </div>
            )}
          </div>
        )
      },
    })
  for (const tab of view.tabs ?? []) {
    if (tab.has?.(row) === false) continue
    const Content = tab.component
    tabs.push({ name: tab.name, title: t(tab.title), content: () => <Content row={row} refresh={refresh} /> })
  }
  return (
    <PageFrame
      title={detailTitle(title, words)}
      back
      actions={
        <>
          {update && (
            <Button
              icon={<EditOutlined />}
              disabled={frozen || !allows(view.canUpdate, row, true)}
              onClick={() => navigate(update)}
            >
              {t('Update')}
            </Button>
          )}
          {deletable && (
            <Button
              danger
              icon={<DeleteOutlined />}
              disabled={!allows(view.canDelete, row, true)}
              onClick={() => {
                const leave = () => {
                  endTab(pathname)
                  return navigate(pages.home?.(row, query) ?? addressOf(`${base}List`) ?? '/')
                }
                if (pages.deletion) pages.deletion(row, leave)
                else deleteRow(path, row, words, leave)
              }}
            >
              {t('Delete')}
            </Button>
          )}
        </>
      }
    >
      <TabPage tabs={tabs} />
    </PageFrame>
  )
}
