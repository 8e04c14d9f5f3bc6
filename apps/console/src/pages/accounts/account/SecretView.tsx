import { useQuery } from '@tanstack/react-query'
import { CopyIcon, EyeIcon, EyeOffIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showSuccess } from '../../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { api } from '../../../lib/api.ts'
import { copyText } from '../../../lib/clipboard.ts'
import { useReset } from '../../../lib/hooks/use-reset.ts'
import { t } from '../../../lib/i18n.ts'
import styles from '../accounts.module.css'

/** A shown secret is covered again after this time, should the person go away. Milliseconds. */
const SHOWN_MS = 30_000

export interface Secrets {
  password: string
  private_key: string
  /** The place outside where they are; empty or absent where they are here. */
  kept_in?: string
}

interface SecretViewProps {
  /** Answers the secrets, behind the second factor. */
  path: string
  /** The object that has the secrets: its name and its kind. */
  facts: readonly (readonly [string, string])[]
}

/**
 * The secrets of an account, covered: each may be copied without showing it, and what is shown is
 * covered again by itself (docs/rules/console.md#view_secret).
 */
export function SecretView({ path, facts }: SecretViewProps) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['secret', path],
    queryFn: () => api.get<Secrets>(path, { quiet: true }),
    // A look each time, and nothing of it stays in memory.
    gcTime: 0,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />
  if (isPending) return <Skeleton lines={4} />
  return (
    <dl className={styles.accountSecret}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <CoveredSecret label={t('Password')} secret={data.password} />
      <CoveredSecret label={t('SSH private key')} secret={data.private_key} />
      {data.kept_in && (
        <div>
          <dt>{t('Kept in')}</dt>
          <dd>{data.kept_in}</dd>
        </div>
      )}
      {data.kept_in && !data.password && !data.private_key && (
        <p>{t('The secret is kept outside of Sallyport: look at it there. It is fetched when somebody connects.')}</p>
      )}
      {!data.kept_in && !data.password && !data.private_key && (
        <p>{t('This account has no secret: people are asked for it when they connect.')}</p>
      )}
    </dl>
  )
}

function CoveredSecret({ label, secret }: { label: string; secret: string }) {
  const [isShown, setShown] = useState(false)
  useReset(isShown, () => setShown(false), SHOWN_MS)
  if (!secret) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {isShown ? <pre>{secret}</pre> : <span aria-hidden="true">••••••••</span>}
        <span className={styles.accountSecretTools}>
          <Button
            icon={<CopyIcon />}
            onClick={() => void copyText(secret).then(() => showSuccess(t('Copied')))}
            aria-label={`${t('Copy')}: ${label}`}
          >
            {t('Copy')}
          </Button>
          <Button
            icon={isShown ? <EyeOffIcon /> : <EyeIcon />}
            onClick={() => setShown(!isShown)}
            aria-label={`${isShown ? t('Hide') : t('Show')}: ${label}`}
          >
            {isShown ? t('Hide') : t('Show')}
          </Button>
        </span>
      </dd>
    </div>
  )
}
