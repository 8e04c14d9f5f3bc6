import './connect-by-client.css'
import { type GrantedApplication, grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { showWith } from '../../dialogs.tsx'
import { ClientLines } from './ClientLines.tsx'
import { clientLines, clientPort, isCluster } from './client-lines.ts'
import { Kubeconfig } from './Kubeconfig.tsx'

const TOKENS = '/api/v1/authentication/connection-token/'
/** How long a token lets its first connection in (docs/databases.md). */
const TOKEN_MINUTES = 5

interface Account {
  id: string
  name: string
  username: string
  login_mode: string
}

/** Opens the dialog in which a person gets a line, or a file, for their own client. */
export function connectByClient(application: GrantedApplication): void {
  showWith(t('Connect to {{name}}', { name: application.name }), <ConnectByClient application={application} />)
}

/** Chooses the account, and makes a connection token and the lines that hold it. */
function ConnectByClient({ application }: { application: GrantedApplication }) {
  const path = `${grantedApplication.path}${application.id}/system-users/`
  const accounts = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<Account[]>(path, { signal, quiet: true }),
  })
  if (accounts.isError) return <LoadFailed error={accounts.error} onRetry={() => void accounts.refetch()} />
  if (!accounts.data) return <Skeleton lines={3} />
  // A client has no way to be asked for the password of a machine's account.
  const usable = accounts.data.filter(({ login_mode }) => login_mode === 'auto')
  if (usable.length === 0) return <p>{t('No account has a stored password: ask an administrator.')}</p>
  return <LinesOf application={application} accounts={usable} />
}

function LinesOf({ application, accounts }: { application: GrantedApplication; accounts: readonly Account[] }) {
  const [chosen, setChosen] = useState(accounts[0]?.id ?? '')
  const token = useMutation({
    mutationFn: (system_user: string) => madeFor(application, system_user),
  })
  const choose = (id: string) => {
    setChosen(id)
    token.reset()
  }
  return (
    <div className="connect-by-client">
      <fieldset>
        <legend>{t('Account')}</legend>
        {accounts.map(({ id, name, username }) => (
          <label key={id}>
            <input type="radio" name="account" checked={id === chosen} onChange={() => choose(id)} /> {name}
            {username && <span className="quiet"> {username}</span>}
          </label>
        ))}
      </fieldset>
      {token.data ? (
        <Lines application={application} token={token.data} onAgain={() => token.mutate(chosen)} />
      ) : (
        <Button type="primary" loading={token.isPending} onClick={() => token.mutate(chosen)}>
          {isCluster(application.type) ? t('Get a file for kubectl') : t('Get a line to copy')}
        </Button>
      )}
      {token.isError && <p role="alert">{errorText(token.error)}</p>}
    </div>
  )
}

/** A connection token; of clusters the file that holds one. */
async function madeFor({ id, type }: GrantedApplication, system_user: string): Promise<string> {
  const wanted = { application: id, system_user }
  if (isCluster(type)) return api.post<string>(`${TOKENS}kubeconfig/`, wanted, { quiet: true })
  return (await api.post<{ token: string }>(TOKENS, wanted, { quiet: true })).token
}

interface LinesProps {
  application: GrantedApplication
  /** See `madeFor`. */
  token: string
  onAgain: () => void
}

function Lines({ application: { name, type, attrs }, token, onAgain }: LinesProps) {
  const minutes = useMinutesLeft(token)
  if (isCluster(type)) return <Kubeconfig name={name} text={token} minutes={minutes} onAgain={onAgain} />
  const { database } = attrs as { database?: string | null }
  const lines = clientLines(type, {
    host: location.hostname,
    port: clientPort(type) ?? 0,
    user: token,
    database: database ?? '',
  })
  if (minutes <= 0)
    return (
      <p role="status">
        {t('The line is not valid any more.')} <Button onClick={onAgain}>{t('Get a new one')}</Button>
      </p>
    )
  return (
    <ClientLines
      lines={lines}
      minutes={minutes}
      warning={t(
        'Whoever has the line connects as you: give it to nobody. While a connection lives, others can be opened with it.',
      )}
    />
  )
}

/** Whole minutes that a token is still good for, rounded up, told anew as they go. */
function useMinutesLeft(token: string): number {
  const [minutes, setMinutes] = useState(TOKEN_MINUTES)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each token begins anew
  useEffect(() => {
    setMinutes(TOKEN_MINUTES)
    const timer = setInterval(() => setMinutes((left) => left - 1), 60_000)
    return () => clearInterval(timer)
  }, [token])
  return minutes
}
