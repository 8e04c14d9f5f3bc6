import { domain } from '@sallyport/contract/resources/assets/domain.ts'
import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { LOGIN_FIELDS, LoginFields, loginOf, NO_LOGIN } from './LoginFields.tsx'
import { Field, StepForm, useStep } from './StepForm.tsx'

interface GatewayFormProps {
  /** Called with the domain whose gateway works. */
  onDone: (domainId: string) => void
  onBack: () => void
}

/**
 * The way into a network: a domain with one gateway, which is logged in to at once. What is stored
 * and does not work yet is changed by the next try.
 */
export function GatewayForm({ onDone, onBack }: GatewayFormProps) {
  const [typed, setTyped] = useState({ ip: '', port: '22' })
  const [login, setLogin] = useState(NO_LOGIN)
  const { isBusy, faults, send } = useStep(['ip', 'port', ...LOGIN_FIELDS])
  const stored = useRef<{ domain?: string; gateway?: string }>({})
  const save = async () => {
    const ip = typed.ip.trim()
    const known = stored.current
    known.domain ??= (await api.post<{ id: string }>(domain.path, { name: ip }, QUIET)).id
    const row = { name: ip, ip, port: Number(typed.port), domain: known.domain, ...loginOf(login) }
    if (known.gateway) await api.patch(`${gateway.path}${known.gateway}/`, row, QUIET)
    else known.gateway = (await api.post<{ id: string }>(gateway.path, row, QUIET)).id
    await api.post(`${gateway.path}${known.gateway}/test-connective/`, {}, QUIET)
    await forget(domain.path)
    onDone(known.domain)
  }
  return (
    <StepForm
      submit={t('Save the gateway and log in')}
      isBusy={isBusy}
      faults={faults}
      onSubmit={() => void send(save)}
      more={
        <Button type="text" onClick={onBack}>
          {t('Back')}
        </Button>
      }
    >
      <Field
        label={t('Address of the gateway')}
        value={typed.ip}
        onChange={(ip) => setTyped({ ...typed, ip })}
        fault={faults.ip}
        placeholder="203.0.113.7"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t('SSH port of the gateway')}
        value={typed.port}
        onChange={(port) => setTyped({ ...typed, port })}
        fault={faults.port}
        type="number"
        min={1}
        max={65_535}
        required
      />
      <LoginFields usernameLabel={t('Username on the gateway')} login={login} onChange={setLogin} faults={faults} />
    </StepForm>
  )
}

const QUIET = { quiet: true }
