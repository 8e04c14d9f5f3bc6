import { WIRE } from '@sallyport/contract/constants.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { CheckIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import { session } from '../../../session/session.ts'
import { AccountStep } from './AccountStep.tsx'
import styles from './first-run.module.css'
import { MachineStep } from './MachineStep.tsx'
import { NextSteps } from './NextSteps.tsx'
import { PersonStep } from './PersonStep.tsx'
import { useStep } from './StepForm.tsx'
import { type Machine, type Named, type Progress, useFirstRun } from './use-first-run.ts'

interface Step {
  name: string
  title: string
  /** What it led to. */
  done: string | undefined
  /** What must be there before it can be done. */
  isReady: boolean
  body: ReactNode
}

export interface FirstRunGuideProps {
  /** The person sends the guide away for good. */
  onLeave: () => void
  /** Everything was there before the guide was. */
  onNotNeeded: () => void
}

/** The steps, the first that is missing open. */
export function FirstRunGuide({ onLeave, onNotNeeded }: FirstRunGuideProps) {
  const { data, error, refetch } = useFirstRun()
  const [chosen, setChosen] = useState<string>()
  const [isNew, setNew] = useState<boolean>()
  useEffect(() => {
    if (data && isNew === undefined) setNew(!data.session)
  }, [data, isNew])
  useEffect(() => {
    if (isNew === false) onNotNeeded()
  }, [isNew, onNotNeeded])
  if (error) return <LoadFailed error={error} onRetry={() => void refetch()} />
  if (!data || !isNew) return null
  const onDone = async () => {
    // The figures of the page count what was made, too.
    await Promise.all([refetch(), forget('/api/v1/')])
    setChosen(undefined)
  }
  const steps = stepsOf(data, onDone)
  const missing = steps.find(({ done, isReady }) => done === undefined && isReady)?.name
  const count = steps.filter(({ done }) => done !== undefined).length
  const isDone = data.session !== undefined
  return (
    <section className={`panel ${styles.firstRun}`} aria-labelledby="first-run">
      <header>
        <h2 id="first-run">{isDone ? t('Your first session is recorded') : t('Get started')}</h2>
        <span className={styles.firstCount}>{t('{{done}} of {{all}}', { done: count, all: steps.length })}</span>
        <Button type={isDone ? 'primary' : 'text'} size="small" onClick={onLeave}>
          {isDone ? t('Finish') : t('Not now@@guide')}
        </Button>
      </header>
      <ol>
        {steps.map((step, at) => (
          <StepRow
            key={step.name}
            step={step}
            number={at + 1}
            isOpen={(chosen ?? missing) === step.name}
            onOpen={() => setChosen(step.name)}
          />
        ))}
      </ol>
      {data.session && <NextSteps first={data.session} />}
    </section>
  )
}

interface StepRowProps {
  step: Step
  number: number
  isOpen: boolean
  onOpen: () => void
}

function StepRow({ step: { title, done, isReady, body }, number, isOpen, onOpen }: StepRowProps) {
  const place = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(isOpen)
  // A person who has just done a step goes on typing in the next. At the start the page keeps its focus.
  useEffect(() => {
    if (isOpen && !wasOpen.current) place.current?.querySelector<HTMLElement>('input, a, button')?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const isDone = done !== undefined
  return (
    <li data-done={isDone} data-open={isOpen}>
      <span className={styles.firstMark} aria-hidden="true">
        {isDone ? <CheckIcon /> : number}
      </span>
      <button type="button" className={styles.firstTitle} aria-expanded={isOpen} disabled={!isReady} onClick={onOpen}>
        <strong>{title}</strong>
        {isDone && <span>{done || t('Done')}</span>}
      </button>
      {isOpen && (
        <div className={styles.firstBody} ref={place}>
          {body}
        </div>
      )}
    </li>
  )
}

function stepsOf(
  { machine, account, person, hasAccess, isMine, session: first }: Progress,
  onDone: () => Promise<void>,
) {
  const self: Named = session().profile
  const steps: Step[] = [
    {
      name: 'machine',
      title: t('Add a server'),
      done: machine && (machine.hostname === machine.ip ? machine.ip : `${machine.hostname} (${machine.ip})`),
      isReady: true,
      body: <MachineStep onDone={onDone} />,
    },
    {
      name: 'account',
      title: t('Add its login'),
      done: account?.username,
      isReady: machine !== undefined,
      body: machine && <AccountStep machine={machine} onDone={onDone} />,
    },
    {
      name: 'person',
      title: t('Add a user'),
      done: person ? `${person.name} (${person.username})` : isMine ? t('You alone, for now') : undefined,
      isReady: account !== undefined,
      body: machine && account && (
        <PersonStep
          onDone={onDone}
          more={<PermitButton {...{ machine, account, onDone }} person={self} label={t('Skip, just me for now')} />}
        />
      ),
    },
    {
      name: 'access',
      title: t('Grant access'),
      done: hasAccess ? '' : undefined,
      isReady: person !== undefined || isMine,
      body: machine && account && person && (
        <>
          <p>
            {t('{{person}} will connect to {{machine}} as {{account}}, and never see the password.', {
              person: person.name,
              machine: machine.hostname,
              account: account.username,
            })}
          </p>
          <PermitButton {...{ machine, account, person, onDone }} label={t('Give access')} isPrimary />
        </>
      ),
    },
    {
      name: 'connect',
      title: t('The first session'),
      done: first ? '' : undefined,
      isReady: hasAccess,
      body: machine && account && <ConnectStep {...{ machine, account, person, isMine, onDone }} self={self} />,
    },
  ]
  return steps
}

interface PermitButtonProps {
  machine: Machine
  account: Named
  person: Named
  label: string
  isPrimary?: boolean
  onDone: () => Promise<void>
}

/** One press, one permission: this person, this machine, this account. */
function PermitButton({ machine, account, person, label, isPrimary = false, onDone }: PermitButtonProps) {
  const { isBusy, faults, send } = useStep([])
  const permit = async () => {
    const name = `${person.name} → ${machine.hostname}`.slice(0, 128)
    const row = { name, users: [person.id], assets: [machine.id], system_users: [account.id] }
    await api.post(assetPermission.path, row, { quiet: true })
    await onDone()
  }
  return (
    <>
      <Button type={isPrimary ? 'primary' : 'default'} loading={isBusy} onClick={() => void send(permit)}>
        {label}
      </Button>
      {faults[''] && (
        <p className={styles.firstFault} role="alert">
          {faults['']}
        </p>
      )}
    </>
  )
}

interface ConnectStepProps {
  machine: Machine
  account: Named
  person: Named | undefined
  isMine: boolean
  self: Named
  onDone: () => Promise<void>
}

/** The way to a prompt: one's own, or what to tell the person who has one. */
function ConnectStep({ machine, account, person, isMine, self, onDone }: ConnectStepProps) {
  const address = `${WIRE.webTerminalBase}?${new URLSearchParams({ login_to: machine.id, system_user: account.id })}`
  return (
    <>
      {person && (
        <p>
          {t('{{person}} signs in at {{site}} as {{username}}, and connects from “My assets”.', {
            person: person.name,
            site: location.origin,
            username: person.username,
          })}
        </p>
      )}
      {isMine ? (
        <a className="button primary" href={address} target="_blank" rel="noreferrer">
          {t('Open a terminal on {{machine}}', { machine: machine.hostname })}
        </a>
      ) : (
        <PermitButton {...{ machine, account, onDone }} person={self} label={t('Let me in, too')} />
      )}
    </>
  )
}
