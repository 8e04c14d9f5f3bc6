import { type LoginLog, loginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import { useQuery } from '@tanstack/react-query'
import { api, type ListPage } from '../../lib/api.ts'
import { formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { SignInEvent } from './SignInEvent.tsx'

/** The sign-in by which something was done, as the sign-in log has it; nothing where that is not kept. */
export function SignInOf({ id }: { id: string }) {
  const { data, isPending } = useQuery({
    queryKey: [loginLog.path, 'one', id],
    queryFn: ({ signal }) =>
      api.get<ListPage<LoginLog>>(loginLog.path, { query: { ids: id, limit: 1, offset: 0 }, signal, quiet: true }),
  })
  const [row] = data?.results ?? []
  if (isPending) return null
  if (!row) return <span className="quiet">{t('no longer in the sign-in log')}</span>
  return (
    <>
      <SignInEvent row={row} /> <span className="quiet">{formatRelative(row.datetime)}</span>
    </>
  )
}
