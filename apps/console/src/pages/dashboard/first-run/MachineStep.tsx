import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { domain as domainDefinition } from '@sallyport/contract/resources/assets/domain.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { api, type ListPage } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './first-run.module.css'
import { GatewayForm } from './GatewayForm.tsx'
import { Choice, Field, StepForm, useStep } from './StepForm.tsx'

/** A newcomer has no more networks than these; the page of assets offers them all. */
const MAX_DOMAINS = 100

/** The networks that machines are reached in through gateways. */
function useDomains() {
  const { data } = useQuery({
    queryKey: [domainDefinition.path, 'first-run'],
    queryFn: ({ signal }) =>
      api.get<ListPage<{ id: string; name: string }>>(domainDefinition.path, {
        query: { limit: MAX_DOMAINS, offset: 0 },
        signal,
        quiet: true,
      }),
  })
  return data?.results ?? []
}

/**
 * Address, port, name and the network it is in; then the host key that answers there, to be
 * confirmed.
 */
export function MachineStep({ onDone }: { onDone: () => Promise<unknown> }) {
  const [typed, setTyped] = useState({ ip: '', port: '22', hostname: '', domain: '' })
  const [fingerprint, setFingerprint] = useState<string>()
  const [isAddingGateway, setAddingGateway] = useState(false)
  const { isBusy, faults, send } = useStep(['ip', 'port', 'hostname', 'domain'])
  const domains = useDomains()
  const type = (change: Partial<typeof typed>) => {
    setFingerprint(undefined)
    setTyped({ ...typed, ...change })
  }
  const { ip, port } = { ip: typed.ip.trim(), port: Number(typed.port) }
  const domain = typed.domain || null
  const look = () =>
    send(async () => {
      const shown = await api.post<{ fingerprint: string }>(`${asset.path}shown-host-key/`, { ip, port, domain }, QUIET)
      setFingerprint(shown.fingerprint)
    })
  const add = (confirmed: string | undefined) =>
    send(async () => {
      const row = { hostname: typed.hostname.trim() || ip, ip, platform: 'Linux', protocols: [`ssh/${port}`], domain }
      const { id } = await api.post<{ id: string }>(asset.path, row, QUIET)
      if (confirmed) await api.post(`${asset.path}${id}/host-keys/confirm/`, { fingerprint: confirmed }, QUIET)
      await onDone()
    })
  if (isAddingGateway)
    return (
      <GatewayForm
        onBack={() => setAddingGateway(false)}
        onDone={(added) => {
          type({ domain: added })
          setAddingGateway(false)
        }}
      />
    )
  return (
    <StepForm
      submit={fingerprint ? t('Trust this key and add') : t('Check connection')}
      isBusy={isBusy}
      faults={faults}
      onSubmit={() => void (fingerprint ? add(fingerprint) : look())}
      more={
        <>
          {faults.ip && ip && <Button onClick={() => void add(undefined)}>{t('Add it anyway')}</Button>}
          <Button type="text" onClick={() => setAddingGateway(true)}>
            {t('Connect through a gateway')}
          </Button>
        </>
      }
    >
      <Field
        label={t('Address')}
        value={typed.ip}
        onChange={(value) => type({ ip: value })}
        fault={faults.ip}
        placeholder="10.0.0.5"
        required
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t('SSH port')}
        value={typed.port}
        onChange={(value) => type({ port: value })}
        fault={faults.port}
        type="number"
        min={1}
        max={65_535}
        required
      />
      <Field
        label={t('Name (optional)')}
        value={typed.hostname}
        onChange={(value) => setTyped({ ...typed, hostname: value })}
        fault={faults.hostname}
        placeholder={ip || 'web-1'}
        maxLength={128}
        autoComplete="off"
      />
      {domains.length > 0 && (
        <Choice
          label={t('Reached through')}
          value={typed.domain}
          onChange={(value) => type({ domain: value })}
          fault={faults.domain}
          choices={[
            { value: '', label: t('no gateway') },
            ...domains.map(({ id, name }) => ({ value: id, label: t('gateways of {{domain}}', { domain: name }) })),
          ]}
        />
      )}
      {fingerprint && (
        <p className={styles.firstKey} role="status">
          {t('It answers, and shows this host key. Any other will be refused from now on.')}
          <code>{fingerprint}</code>
        </p>
      )}
    </StepForm>
  )
}

const QUIET = { quiet: true }
