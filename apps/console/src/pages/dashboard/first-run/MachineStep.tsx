import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { Field, StepForm, useStep } from './StepForm.tsx'

/** Address, port and name; then the host key that answers there, to be confirmed. */
export function MachineStep({ onDone }: { onDone: () => Promise<unknown> }) {
  const [typed, setTyped] = useState({ ip: '', port: '22', hostname: '' })
  const [fingerprint, setFingerprint] = useState<string>()
  const { isBusy, faults, send } = useStep(['ip', 'port', 'hostname'])
  const type = (change: Partial<typeof typed>) => {
    setFingerprint(undefined)
    setTyped({ ...typed, ...change })
  }
  const { ip, port } = { ip: typed.ip.trim(), port: Number(typed.port) }
  const look = () =>
    send(async () => {
      const shown = await api.post<{ fingerprint: string }>(`${asset.path}shown-host-key/`, { ip, port }, QUIET)
      setFingerprint(shown.fingerprint)
    })
  const add = (confirmed: string | undefined) =>
    send(async () => {
      const row = { hostname: typed.hostname.trim() || ip, ip, platform: 'Linux', protocols: [`ssh/${port}`] }
      const { id } = await api.post<{ id: string }>(asset.path, row, QUIET)
      if (confirmed) await api.post(`${asset.path}${id}/host-keys/confirm/`, { fingerprint: confirmed }, QUIET)
      await onDone()
    })
  return (
    <StepForm
      submit={fingerprint ? t('It is my machine: add it') : t('Find the machine')}
      isBusy={isBusy}
      faults={faults}
      onSubmit={() => void (fingerprint ? add(fingerprint) : look())}
      more={faults.ip && ip && <Button onClick={() => void add(undefined)}>{t('Add it anyway')}</Button>}
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
      {fingerprint && (
        <p className="first-key" role="status">
          {t('It answers, and shows this host key. Any other will be refused from now on.')}
          <code>{fingerprint}</code>
        </p>
      )}
    </StepForm>
  )
}

const QUIET = { quiet: true }
