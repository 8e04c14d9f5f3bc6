import { useEffect, useState } from 'react'
import { request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { passkeysWork } from '../../lib/passkey.ts'
import { preferredFactor, type ShownFactor } from '../../lib/second-factor.ts'
import { LostFactor } from '../../session/LostFactor.tsx'
import type { PublicSettings } from '../../session/session.ts'
import { Card } from '../Card.tsx'
import { Refusal } from '../Refusal.tsx'
import { refusalText } from '../refusal-text.ts'
import { StepForm } from '../StepForm.tsx'
import { PasskeyStep } from './PasskeyStep.tsx'
import { FactorCode, FactorSelect } from './SecondFactorFields.tsx'

const MFA_STEP = '/core/auth/login/mfa/'

/** Asks for the second factor after name and password, in one of the ways that the person has. */
export function MfaStepPage({ settings }: { settings: PublicSettings }) {
  const [types, setTypes] = useState<ShownFactor[]>([])
  const [chosen, setChosen] = useState<ShownFactor>()
  const [refusal, setRefusal] = useState('')
  useEffect(() => {
    request<{ types: ShownFactor[] }>('GET', MFA_STEP, { quiet: true }).then(
      ({ types: offered }) => {
        setTypes(offered)
        // Where passkeys do not work, the others come first.
        const usable = offered.filter(({ type }) => type !== 'passkey' || passkeysWork())
        setChosen(preferredFactor(usable) ?? preferredFactor(offered))
      },
      (error) => setRefusal(refusalText(error)),
    )
  }, [])
  return (
    <Card settings={settings} heading={t('Second factor')}>
      <Refusal text={refusal} />
      {chosen && (
        <div className="step">
          <FactorSelect id="mfa_type" types={types} chosen={chosen} onChoose={setChosen} />
          {chosen.type === 'passkey' ? <PasskeyStep /> : <CodeStep key={chosen.type} factor={chosen} />}
          <LostFactor />
        </div>
      )}
      <p className="beside">
        <a href="/core/auth/login/">{t('Back to sign-in')}</a>
      </p>
    </Card>
  )
}

/** A code of the chosen way; the server says where to go next. */
function CodeStep({ factor }: { factor: ShownFactor }) {
  const [code, setCode] = useState('')
  const body = { mfa_type: factor.type, code }
  return (
    <StepForm
      onSubmit={async () => (await request<{ next: string }>('POST', MFA_STEP, { body, quiet: true })).next}
      onRefused={() => setCode('')}
      focus="code"
      button={t('Confirm')}
      isReady={code.length >= (factor.digits ?? 1)}
    >
      <FactorCode id="code" factor={factor} code={code} onCode={setCode} required autoFocus />
    </StepForm>
  )
}
