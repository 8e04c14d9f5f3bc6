import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { showError, showSuccess } from '../../design/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { ApiError, api, errorText, type Query, type Row, withQuery } from '../../lib/api.ts'
import { language, t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { addressOf } from '../../navigation/routes.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import { RowLost } from '../detail/RowLost.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import { type FormFields, formGroups, initialValues, rowValues } from '../view/form-groups.ts'
import type { FormContext, FormView } from '../view/form-view.ts'
import { useMetadata } from '../view/metadata.ts'
import { rowTitle } from '../view/row-title.ts'
import { asMultipart } from './multipart.ts'
import { ResourceFormBody } from './ResourceFormBody.tsx'

const REDIRECT_MS = 100

export interface FormPageProps {
  pages: ResourcePages
  base: string
  title: string
  mode: 'create' | 'update'
}

/** Create and update page of a resource (spec A2.91 to A2.96). */
export function FormPageBody({ pages, base, title, mode }: FormPageProps) {
  const { path } = pages.definition
  const view: FormView = pages.form ?? { groups: [] }
  const { id } = useParams()
  const [query] = useSearchParams()
  const source = mode === 'update' ? id : (query.get('clone_from') ?? undefined)
  const metadata = useMetadata(path)
  const row = useQuery({
    queryKey: keys.one(path, source ?? ''),
    queryFn: ({ signal }) =>
      api.get<Row>(`${path}${encodeURIComponent(source ?? '')}/`, {
        query: pages.rowQuery?.(query),
        signal,
        quiet: true,
      }),
    enabled: source !== undefined,
    // A form must start from what is stored now, and must not change under the person's hands.
    staleTime: 0,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  const remote = metadata.data?.actions[mode === 'create' ? 'POST' : 'PUT'] ?? metadata.data?.actions.PATCH
  const failure = metadata.error ?? (source === undefined ? null : row.error)
  const waiting = !metadata.data || (source !== undefined && !row.data)
  return (
    <PageFrame title={title} back>
      {failure ? (
        failure instanceof ApiError && failure.status === 404 ? (
          <RowLost home={pages.home?.(undefined, query) ?? addressOf(`${base}List`) ?? '/'} />
        ) : (
          <LoadFailed error={failure} onRetry={() => void (metadata.isError ? metadata.refetch() : row.refetch())} />
        )
      ) : waiting ? (
        <div className="form panel loading">{t('Loading')}</div>
      ) : remote ? (
        <LoadedForm
          key={source ?? 'new'}
          pages={pages}
          base={base}
          mode={mode}
          view={view}
          remote={remote}
          row={row.data}
          query={query}
        />
      ) : (
        <LoadFailed error={undefined} onRetry={() => void metadata.refetch()} />
      )}
    </PageFrame>
  )
}

interface LoadedFormProps {
  pages: ResourcePages
  base: string
  mode: 'create' | 'update'
  view: FormView
  remote: Parameters<typeof formGroups>[1]
  row: Row | undefined
  query: URLSearchParams
}

function LoadedForm({ pages, base, mode, view, remote, row, query }: LoadedFormProps) {
  const { path, operations } = pages.definition
  const method = view.method ?? (operations.includes('update') ? 'PUT' : 'PATCH')
  const navigate = useNavigate()
  const client = useQueryClient()
  const leaving = useLeaveQuestion()
  const [round, setRound] = useState(0)
  const first = useRef({ mode, row, query })
  const context: FormContext = first.current
  const groups = useMemo(() => withPatterns(formGroups(view, remote), pages.definition), [view, remote, pages])
  const initial = useMemo(() => {
    const fields = groups.flatMap((group) => group.fields)
    const fresh = mode === 'create' ? initialValues(fields, context) : {}
    if (!row) return fresh
    const shaped = view.fromRow ? ({ ...row, ...view.fromRow(row, context) } as Row) : row
    const prefix = language() === 'en' ? 'Clone from' : '克隆自'
    return { ...fresh, ...rowValues(shaped, fields, mode === 'create' ? prefix : undefined) }
  }, [groups, mode, row, view, context])

  const home = (saved?: Row) => pages.home?.(saved, query) ?? addressOf(`${base}List`) ?? '/'
  const save = async (values: unknown, again: boolean): Promise<'leaving' | undefined> => {
    const body = asMultipart(values)
    const extra: Query | undefined = view.query?.(context)
    let saved: Row
    try {
      saved =
        mode === 'create'
          ? await api.post<Row>(withQuery(path, extra), body, { quiet: true })
          : await api[method === 'PATCH' ? 'patch' : 'put']<Row>(
              withQuery(`${path}${encodeURIComponent(row?.id ?? '')}/`, extra),
              body,
              {
                quiet: true,
              },
            )
    } catch (error) {
      // The question about the sign-in that is over says it all (spec B8.02).
      if (error instanceof ApiError && (error.fields || error.status === 401)) throw error
      showError(`${mode === 'create' ? t('Create error') : t('Update failed')}: ${errorText(error)}`)
      throw error
    }
    const words = saved?.id ? rowTitle(pages, saved) : ''
    const page = saved?.id ? addressOf(`${base}Detail`, { id: saved.id }) : undefined
    const detail = page && withQuery(page, pages.rowQuery?.(query))
    // Messages are drawn outside the router, so the link takes the router's own way by hand.
    const named = detail ? (
      <a
        href={`/ui${detail}`}
        onClick={(event) => {
          event.preventDefault()
          void navigate(detail)
        }}
      >
        {words}
      </a>
    ) : (
      words
    )
    showSuccess(
      <>
        {mode === 'update' ? t('Update success') : t('Create success')} {named}
        {again && ` — ${t('you may add another')}`}
      </>,
    )
    leaving.allow()
    client.removeQueries({ queryKey: keys.one(path, row?.id ?? '') })
    void forget(path)
    if (again) {
      setRound(round + 1)
      return undefined
    }
    setTimeout(() => void navigate(view.next?.(saved, context) ?? home(saved)), REDIRECT_MS)
    // Until the page is gone the form stays busy, so that a second click sends nothing.
    return 'leaving'
  }
  return (
    <ResourceFormBody
      key={round}
      groups={groups}
      initial={initial}
      path={path}
      context={context}
      view={view}
      save={save}
      keepLoaded={mode === 'update' && method === 'PUT'}
      focusFirst={round > 0}
      saveAndContinue={mode === 'create' && view.saveAndContinue !== false}
      onDirty={leaving.setDirty}
      extraButtons={<Button onClick={() => void navigate(home(row))}>{t('Cancel')}</Button>}
    />
  )
}

/** Metadata tells no patterns; the definition, which both sides share, does. */
function withPatterns(groups: FormFields[], { fields }: ResourcePages['definition']): FormFields[] {
  return groups.map((group) => ({
    ...group,
    fields: group.fields.map((field) => {
      const pattern = fields[field.name]?.pattern
      return pattern === undefined ? field : { ...field, pattern }
    }),
  }))
}
