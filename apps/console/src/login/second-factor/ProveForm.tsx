import { useState } from 'react'
import { MFA_PATH, request } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { answerPasskey, passkeyFault } from '../../lib/passkey.ts'
import { preferredFactor, type ShownFactor } from '../../lib/second-factor.ts'
import { LostFactor } from '../../session/LostFactor.tsx'
import { refusalText } from '../refusal-text.ts'
import { StepForm } from '../StepForm.tsx'
import { FactorCode, FactorSelect } from './SecondFactorFields.tsx'

const PASSKEY = '/api/v1/authentication/passkeys/verify/'

interface ProveFormProps {
  types: readonly ShownFactor[]
  /** What it is asked for. */
  words: string
  onProven: () => Promise<void>
}

/**
 * Asks somebody who is signed in for one of their second factors, so that an open browser is not
 * enough.
 */
export function ProveForm({ types, words, onProven }: ProveFormProps) {
  const ways = types.filter(({ active }) => active)
  const [factor, setFactor] = useState(() => preferredFactor(ways))
  const [code, setCode] = useState('')
  if (!factor) return null
  const isPasskey = factor.type === 'passkey'
  const prove = async () => {
    if (!isPasskey) return request('POST', MFA_PATH, { body: { type: factor.type, code }, quiet: true })
    const answer = await answerPasskey(await request('POST', `${PASSKEY}options/`, { body: {}, quiet: true }))
    return request('POST', PASSKEY, { body: { answer }, quiet: true })
  }
  return (
    <StepForm
      onSubmit={async () => {
        await prove()
        await onProven()
        return undefined
      }}
      onRefused={() => setCode('')}
      focus="code"
      refusalOf={isPasskey ? passkeyFault : refusalText}
      button={isPasskey ? t('Use a passkey') : t('Confirm')}
      isReady={isPasskey || code.length >= (factor.digits ?? 1)}
    >
      <p>{words}</p>
      <FactorSelect
        id="mfa_type"
        types={ways}
        chosen={factor}
        onChoose={(chosen) => {
          setFactor(chosen)
          setCode('')
        }}
      />
      {!isPasskey && (
        <FactorCode key={factor.type} id="code" factor={factor} code={code} onCode={setCode} required autoFocus />
      )}
      <LostFactor />
    </StepForm>
  )
}
