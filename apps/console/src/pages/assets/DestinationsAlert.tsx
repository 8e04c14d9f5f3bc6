import { useQuery } from '@tanstack/react-query'
import { Button } from '../../design/Button.tsx'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { Notice } from '../../design/Notice.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { mayAccess } from '../../session/session.ts'

interface Destination {
  protocol: string
  address: string
  domain: string | null
  gateway: string | null
}

/** The words about a family's moved targets. All marked with `msg`. */
export interface MovedWords {
  title: string
  /** What follows from it, for `{{destinations}}`. */
  meaning: string
  /** When a system administrator should confirm `{{destinations}}`. */
  whenSure: string
}

interface DestinationsAlertProps {
  /** Address of the target. */
  owner: string
  words: MovedWords
}

/**
 * Shown for a target that was moved: its stored passwords and keys are not sent there until a
 * system administrator confirms where it is.
 */
export function DestinationsAlert({ owner, words }: DestinationsAlertProps) {
  const path = `${owner}destinations/`
  const { data } = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<{ unconfirmed: Destination[] }>(path, { signal, quiet: true }),
  })
  const unconfirmed = data?.unconfirmed ?? []
  if (!unconfirmed.length) return null
  const destinations = unconfirmed.map(destinationText).join(', ')
  const confirm = () =>
    confirmDanger({
      title: t('Send stored passwords and keys there?'),
      content: t(words.whenSure, { destinations }),
      okText: t('Confirm'),
      onOk: async () => {
        await api.post(`${path}confirm/`, { destinations: unconfirmed })
        showSuccess(t('The new address is confirmed'))
        await forget(path)
      },
    })
  return (
    <Notice tone="warning" title={t(words.title)}>
      <p>{t(words.meaning, { destinations })}</p>
      {mayAccess(['super_admin']) && (
        <Button size="small" danger onClick={confirm}>
          {t('Confirm the address')}
        </Button>
      )}
    </Notice>
  )
}

const destinationText = ({ protocol, address, gateway }: Destination): string =>
  gateway === null ? `${address} (${protocol})` : `${address} (${protocol}, ${t('through {{gateway}}', { gateway })})`
