import type { TargetFamily } from '@sallyport/contract/target.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { RadioGroup } from '../../../design/inputs/RadioGroup.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { type SystemUser, usableSystemUsers } from '../../../terminal/connect/system-user-choice.ts'
import { wantedRdpSize } from '../../../terminal/screen/preferences.ts'
import { DESKTOP_PROTOCOLS } from '../../../terminal/text-protocols.ts'
import { showWith } from '../../dialogs.tsx'
import { ClientLines } from './ClientLines.tsx'
import { clientLines, clientPort, DESKTOP, desktopPorts, isCluster } from './client-lines.ts'
import styles from './connect-by-client.module.css'
import { DesktopClient } from './DesktopClient.tsx'
import { Kubeconfig } from './Kubeconfig.tsx'

const TOKENS = '/api/v1/authentication/connection-token/'
/** How long a token lets its first connection in (docs/databases.md). */
const TOKEN_MINUTES = 5

/** The target of a person's own client. */
export interface ClientTarget {
  family: TargetFamily
  id: string
  name: string
  /** Type of the application; `DESKTOP` for what is shown as one. */
  type: string
  /** That a client of databases begins in. */
  database?: string
}

/** Opens the dialog in which a person gets a line, or a file, for their own client. */
export function connectByClient(target: ClientTarget): void {
  showWith(t('Connect to {{name}}', { name: target.name }), <ConnectByClient target={target} />)
}

/** Chooses the account, and makes a connection token and the lines that hold it. */
function ConnectByClient({ target }: { target: ClientTarget }) {
  const path = `/api/v1/perms/users/${target.family}s/${target.id}/system-users/`
  const accounts = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<SystemUser[]>(path, { signal, quiet: true }),
  })
  if (accounts.isLoadingError) return <LoadFailed error={accounts.error} onRetry={() => void accounts.refetch()} />
  if (!accounts.data) return <Skeleton lines={3} />
  // A client has no way to be asked for the password of a machine's account.
  const usable = fitting(accounts.data, target).filter(({ login_mode }) => login_mode === 'auto')
  if (usable.length === 0) return <p>{t('No account has a stored password: ask an administrator.')}</p>
  return <LinesOf target={target} accounts={usable} />
}

/** A machine has accounts of other protocols, too. */
const fitting = (all: readonly SystemUser[], { type }: ClientTarget) =>
  type === DESKTOP ? usableSystemUsers(all).filter(({ protocol }) => DESKTOP_PROTOCOLS.includes(protocol)) : all

function LinesOf({ target, accounts }: { target: ClientTarget; accounts: readonly SystemUser[] }) {
  const label = useId()
  const [chosen, setChosen] = useState(accounts[0]?.id ?? '')
  const token = useMutation({
    mutationFn: (system_user: string) => madeFor(target, system_user),
  })
  const choose = (id: string) => {
    setChosen(id)
    token.reset()
  }
  return (
    <div className={styles.connectByClient}>
      <p id={label}>{t('Account')}</p>
      <RadioGroup
        isColumn
        aria-labelledby={label}
        value={chosen}
        onChange={choose}
        options={accounts.map(({ id, name, username }) => ({
          value: id,
          label: username ? (
            <>
              {name} <span className="quiet">{username}</span>
            </>
          ) : (
            name
          ),
        }))}
      />
      {token.data ? (
        <Lines target={target} made={token.data} onAgain={() => token.mutate(chosen)} />
      ) : (
        <Button type="primary" loading={token.isPending} onClick={() => token.mutate(chosen)}>
          {wordsFor(target)}
        </Button>
      )}
      {token.isError && <p role="alert">{errorText(token.error)}</p>}
    </div>
  )
}

/** The result of the button. */
function wordsFor({ type }: ClientTarget): string {
  if (isCluster(type)) return t('Get a file for kubectl')
  return type === DESKTOP && desktopPorts().rdp ? t('Get a file') : t('Get a line to copy')
}

/** A connection token, or the file that holds one: of clusters, and for clients of RDP. */
async function madeFor({ family, id, type }: ClientTarget, system_user: string): Promise<string> {
  const wanted = { [family]: id, system_user }
  if (isCluster(type)) return api.post<string>(`${TOKENS}kubeconfig/`, wanted, { quiet: true })
  if (type === DESKTOP && desktopPorts().rdp)
    return api.post<string>(`${TOKENS}rdp/file/`, wanted, { query: wantedRdpSize(), quiet: true })
  return (await api.post<{ token: string }>(TOKENS, wanted, { quiet: true })).token
}

interface LinesProps {
  target: ClientTarget
  /** See `madeFor`. */
  made: string
  onAgain: () => void
}

function Lines({ target: { name, type, database = '' }, made, onAgain }: LinesProps) {
  const minutes = useMinutesLeft(made)
  if (isCluster(type)) return <Kubeconfig name={name} text={made} minutes={minutes} onAgain={onAgain} />
  if (type === DESKTOP) return <DesktopClient {...{ name, made, minutes, onAgain }} />
  const lines = clientLines(type, {
    host: location.hostname,
    port: clientPort(type) ?? 0,
    user: made,
    database,
  })
  if (minutes <= 0)
    return (
      <p role="status">
        {t('The line has expired.')} <Button onClick={onAgain}>{t('Get a new one')}</Button>
      </p>
    )
  return (
    <ClientLines
      lines={lines}
      minutes={minutes}
      warning={t(
        'Anyone with this line connects as you, so do not share it. While a connection is open, it can open more.',
      )}
    />
  )
}

/** Whole minutes that a token is still good for, rounded up, shown again as they go. */
function useMinutesLeft(token: string): number {
  const [minutes, setMinutes] = useState(TOKEN_MINUTES)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each token starts over
  useEffect(() => {
    setMinutes(TOKEN_MINUTES)
    const timer = setInterval(() => setMinutes((left) => left - 1), 60_000)
    return () => clearInterval(timer)
  }, [token])
  return minutes
}
