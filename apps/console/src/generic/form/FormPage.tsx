import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { ApiError, api, type Row } from '../../lib/api.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { addressOf } from '../../navigation/routes.ts'
import { RowLost } from '../detail/RowLost.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import type { FormView } from '../view/form-view.ts'
import { useMetadata } from '../view/metadata.ts'
import { FormSkeleton } from './FormSkeleton.tsx'
import { LoadedForm } from './LoadedForm.tsx'

export interface FormPageProps {
  pages: ResourcePages
  base: string
  title: string
  mode: 'create' | 'update'
}

/** Create and update page of a resource (A2.91 to A2.96). */
export function FormPage({ pages, base, title, mode }: FormPageProps) {
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
        <FormSkeleton groups={view.groups} />
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
