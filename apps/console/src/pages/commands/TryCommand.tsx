import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import type { CommandTrial, TriedPart } from '@sallyport/contract/resources/assets/command-trial.ts'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { Status, type Tone } from '../../design/Status.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { REFERENCES } from '../../generic/view/references.ts'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { namesOf } from '../../lib/name-of.ts'
import { MarkedText } from '../MarkedText.tsx'
import { ruleAddress } from '../rule-address.ts'
import styles from './commands.module.css'
import { exampleOf } from './example-of.ts'
import { JUDGED_APPLICATIONS } from './judged-protocols.ts'
import { useRule } from './OpenedRule.tsx'

const TRY = '/api/v1/assets/cmd-filters/try/'
const WHO = ['user', 'system_user', 'asset', 'application'] as const
type Who = (typeof WHO)[number]
/** A session leads to one of them. */
const INSTEAD: Partial<Record<Who, Who>> = { asset: 'application', application: 'asset' }

const TONES: Readonly<Record<TriedPart['action'], Tone>> = { allow: 'good', deny: 'danger', confirm: 'warning' }
const words = (action: TriedPart['action']) =>
  ({ allow: t('Allowed'), deny: t('Denied'), confirm: t('To be confirmed') })[action]

/**
 * A person, a system user, an asset or an application, and a line: which rule decides, of which filter, and what it
 * found. Nothing is sent to any machine.
 */
export function TryCommand({ row }: Pick<DetailProps<CommandFilter>, 'row'>) {
  const [who, setWho] = useState<Record<Who, string | null>>({
    user: row.users[0] ?? null,
    system_user: row.system_users[0] ?? null,
    asset: row.assets[0] ?? null,
    application: row.assets.length ? null : (row.applications[0] ?? null),
  })
  const rule = useRule(row.id, useSearchParams()[0].get('rule'))
  const [typed, setLine] = useState<string>()
  const line = typed ?? (rule.data ? exampleOf(rule.data) : '')
  // Rules are those of the organization in which the machine is.
  const isPlaced = who.system_user !== null || who.asset !== null || who.application !== null
  const [answer, setAnswer] = useState<CommandTrial>()
  /** The subject of the answer. */
  const [tried, setTried] = useState('')
  const [busy, setBusy] = useState(false)
  const id = useId()
  const titles: Record<Who, string> = {
    user: t('Person'),
    system_user: t('System user'),
    asset: t('Asset'),
    application: t('Application'),
  }
  const choose = (name: Who, value: string | null) => {
    const other = INSTEAD[name]
    setWho({ ...who, ...(value && other ? { [other]: null } : {}), [name]: value })
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      setAnswer(await api.post<CommandTrial>(TRY, { ...who, command: line }, { quiet: true }))
      setTried(line)
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={`panel ${styles.tryCommand}`}>
      <h2>{t('Try it')}</h2>
      <div className="inside">
        <p className="quiet">
          {t(
            'Which rule decides about a command, of all filters that hold for this session. Nothing is sent to the machine.',
          )}
        </p>
        <form onSubmit={(event) => void send(event)}>
          {WHO.map((name) => {
            const { path, display } = REFERENCES[name] as { path: string; display: string }
            const query = name === 'application' ? JUDGED_APPLICATIONS : undefined
            return (
              <label key={name} htmlFor={`${id}-${name}`}>
                {titles[name]}
                <RemoteSelect
                  id={`${id}-${name}`}
                  path={path}
                  display={display}
                  query={query}
                  value={who[name]}
                  clearable
                  onChange={(value) => choose(name, typeof value === 'string' ? value : null)}
                />
              </label>
            )
          })}
          <label htmlFor={`${id}-line`} className={styles.tryLine}>
            {t('Command')}
            <LongInput
              id={`${id}-line`}
              rows={2}
              spellCheck={false}
              value={line}
              placeholder="sudo reboot"
              onChange={setLine}
            />
          </label>
          <Button type="primary" htmlType="submit" loading={busy} disabled={!line.trim() || !isPlaced}>
            {t('Try')}
          </Button>
          {!isPlaced && (
            <p className="quiet">
              {t('Choose a system user, an asset or an application: which rules hold depends on it.')}
            </p>
          )}
        </form>
        {answer && <Answer answer={answer} line={tried} />}
      </div>
    </section>
  )
}

function Answer({ answer, line }: { answer: CommandTrial; line: string }) {
  const { part, isAsTyped } = decidingPart(answer, line)
  return (
    <div className={styles.tryAnswer} role="status">
      <p>
        <Status tone={TONES[answer.action]}>{words(answer.action)}</Status>
        {answer.rule && !answer.reason ? ' ' : ' · '}
        <Why part={answer} />
      </p>
      {answer.rule && (
        <pre className={styles.triedLine}>
          <MarkedText text={line} found={isAsTyped ? answer.match : part.source} />
        </pre>
      )}
      {answer.rule && !isAsTyped && part.text !== part.source && (
        <p>
          {t('The shell makes of it:')} <code>{part.text}</code>
        </p>
      )}
      {answer.reviewers.length > 0 && (
        <p>{t('Asked to confirm: {{reviewers}}', { reviewers: namesOf(answer.reviewers).join(', ') })}</p>
      )}
      {answer.action === 'confirm' && answer.reviewers.length === 0 && (
        <p className="bad">{t('Nobody is left who could confirm it: it is denied.')}</p>
      )}
      {answer.parts.length > 1 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Command in it')}</th>
              <th scope="col">{t('Result')}</th>
              <th scope="col">{t('Why')}</th>
            </tr>
          </thead>
          <tbody>
            {answer.parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
              <tr key={at}>
                <td>
                  <code>
                    <MarkedText text={part.text} found={part.match} />
                  </code>
                </td>
                <td>
                  <Status tone={TONES[part.action]}>{words(part.action)}</Status>
                </td>
                <td>
                  <Why part={part} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/**
 * The part of the line that decided, and whether what the rule found is there as it was typed;
 * otherwise only the shell makes it so.
 */
function decidingPart(answer: CommandTrial, line: string): { part: TriedPart; isAsTyped: boolean } {
  const { rule, action, match, parts } = answer
  const part = parts.find((one) => one.rule?.id === rule?.id && one.action === action && one.match === match)
  return { part: part ?? answer, isAsTyped: match !== '' && line.includes(match) }
}

/** The rule that decided, and what it found. */
function Why({ part: { rule, match, reason } }: { part: TriedPart }): ReactNode {
  if (reason) return reason
  if (!rule) return t('No rule is about it.')
  const address = ruleAddress(rule.filter, rule.id)
  const name = t('{{filter}}, priority {{priority}}', { filter: rule.filter_name, priority: rule.priority })
  return (
    <>
      {t('by the rule')} <LinkedWords to={address}>{name}</LinkedWords>
      {match && (
        <>
          {' '}
          {t('which found')} <code>{match}</code>
        </>
      )}
    </>
  )
}
