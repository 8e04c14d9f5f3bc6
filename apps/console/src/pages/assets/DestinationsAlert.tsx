import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { useQuery } from '@tanstack/react-query'
import { Banner } from '../../design/Banner.tsx'
import { Button } from '../../design/Button.tsx'
import { confirmDanger, showSuccess } from '../../design/feedback.tsx'
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

/**
 * Shown for an asset that was moved: its stored passwords and keys are not sent there until a
 * system administrator confirms where it is.
 */
export function DestinationsAlert({ assetId }: { assetId: string }) {
  const path = `${asset.path}${assetId}/destinations/`
  const { data } = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<{ unconfirmed: Destination[] }>(path, { signal, quiet: true }),
  })
  const unconfirmed = data?.unconfirmed ?? []
  if (!unconfirmed.length) return null
  const confirm = () =>
    confirmDanger({
      title: t('Send stored passwords and keys there?'),
      content: t('Only when you know that this machine is the same, or who moved it and why: {{destinations}}', {
        destinations: unconfirmed.map(destinationText).join(', '),
      }),
      okText: t('Confirm'),
      onOk: async () => {
        await api.post(`${path}confirm/`, { destinations: unconfirmed })
        showSuccess(t('The new address is confirmed'))
        await forget(path)
      },
    })
  return (
    <Banner tone="warning" title={t('This asset was moved')}>
      <p>
        {t(
          'Stored passwords and keys are not sent to {{destinations}}. A machine that shows the host key known so far is let in by itself; otherwise a system administrator confirms the address, or trusts the new host key below.',
          { destinations: unconfirmed.map(destinationText).join(', ') },
        )}
      </p>
      {mayAccess(['super_admin']) && (
        <Button size="small" danger onClick={confirm}>
          {t('Confirm the address')}
        </Button>
      )}
    </Banner>
  )
}

const destinationText = ({ protocol, address, gateway }: Destination): string =>
  gateway === null ? `${address} (${protocol})` : `${address} (${protocol}, ${t('through {{gateway}}', { gateway })})`
