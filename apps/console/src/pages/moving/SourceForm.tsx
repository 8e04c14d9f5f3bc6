import type { MoveReport, MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { ask } from '../../design/dialogs/feedback.tsx'
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { Notice } from '../../design/Notice.tsx'
import { t } from '../../lib/i18n.ts'
import { MoveField, TextField } from './MoveField.tsx'
import styles from './moving.module.css'
import { taskWords } from './run-words.ts'
import { ENCRYPTIONS, encryptionWords, type Faults, faultsOf, type MoveSource, moveBody, NO_SOURCE } from './source.ts'
import { beginMove } from './use-move.ts'

const TASKS: readonly MoveTask[] = ['look', 'try', 'import', 'prove']

/** Their database, its key, and what is done with it, in the order of an evening. */
export function SourceForm({ report: { current, installations } }: { report: MoveReport }) {
  const [source, setSource] = useState<MoveSource>(NO_SOURCE)
  const [faults, setFaults] = useState<Faults>({})
  const [busy, setBusy] = useState<MoveTask>()
  const set = (more: Partial<MoveSource>) => setSource({ ...source, ...more })
  const begin = async (task: MoveTask) => {
    if (busy || current) return
    if (task === 'import' && !(await isWanted(source))) return
    setBusy(task)
    setFaults({})
    try {
      await beginMove(moveBody(task, source))
    } catch (error) {
      setFaults(faultsOf(error))
    } finally {
      setBusy(undefined)
    }
  }
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    void begin('look')
  }
  const text = (field: 'host' | 'port' | 'database' | 'username') => ({
    value: source[field],
    fault: faults[field],
    onChange: (value: string) => set({ [field]: value }),
  })
  return (
    <form className="panel" aria-label={t('Database of JumpServer')} noValidate onSubmit={handleSubmit}>
      <h2>{t('Database of JumpServer')}</h2>
      <div className={`inside ${styles.source}`}>
        <div className={styles.fields}>
          <MoveField label={t('Kind@@database')}>
            {(control) => (
              <NativeSelect
                {...control}
                value={source.engine}
                onChange={(engine) => set({ engine: engine as MoveSource['engine'] })}
              >
                <option value="mysql">MySQL, MariaDB</option>
                <option value="postgres">PostgreSQL</option>
              </NativeSelect>
            )}
          </MoveField>
          <TextField label={t('Host')} {...text('host')} />
          <TextField
            label={t('Port')}
            {...text('port')}
            inputMode="numeric"
            placeholder={source.engine === 'mysql' ? '3306' : '5432'}
            onChange={(port) => set({ port: port.replaceAll(/\D/g, '') })}
          />
          <TextField label={t('Database')} {...text('database')} />
          <TextField label={t('Username')} {...text('username')} help={t('An account that only reads is enough.')} />
          <TextField
            label={t('Password')}
            isSecret
            value={source.password}
            onChange={(password) => set({ password })}
            help={t('It is used for this run and not kept.')}
          />
          <MoveField label={t('Connection@@encryption')}>
            {(control) => (
              <NativeSelect
                {...control}
                value={source.encryption}
                onChange={(encryption) => set({ encryption: encryption as MoveSource['encryption'] })}
              >
                {ENCRYPTIONS.map((one) => (
                  <option key={one} value={one}>
                    {encryptionWords(one)}
                  </option>
                ))}
              </NativeSelect>
            )}
          </MoveField>
          <TextField
            label="SECRET_KEY"
            isSecret
            value={source.secretKey}
            fault={faults.secret_keys}
            onChange={(secretKey) => set({ secretKey })}
            help={t('In config.txt of JumpServer. It opens the stored passwords, and is not kept.')}
          />
          <TextField
            label={t('Earlier SECRET_KEY')}
            isSecret
            value={source.earlierKey}
            onChange={(earlierKey) => set({ earlierKey })}
            help={t('Where it was changed once.')}
          />
          <TextField
            label={t('History from')}
            value={source.historyFrom}
            fault={faults.history_from}
            placeholder="2026-01-31"
            onChange={(historyFrom) => set({ historyFrom })}
            help={t('Empty: as far back as logs are kept here.')}
          />
        </div>
        <Checkbox checked={source.withAddresses} onChange={(withAddresses) => set({ withAddresses })}>
          {t('Settings with addresses and secrets come, too: the mail server, messengers, links')}
        </Checkbox>
        <Checkbox checked={source.withJobs} onChange={(withJobs) => set({ withJobs })}>
          {t('Jobs come as runbooks, which everybody of their organization can read')}
        </Checkbox>
        {faults[''] && <Notice tone="danger" title={faults['']} />}
        <div className={styles.buttons}>
          {TASKS.filter((task) => task !== 'prove' || installations.length > 0).map((task) => (
            <Button
              key={task}
              type={task === 'look' ? 'primary' : 'default'}
              htmlType={task === 'look' ? 'submit' : 'button'}
              loading={busy === task}
              whyDisabled={current ? t('A run goes on.') : undefined}
              onClick={task === 'look' ? undefined : () => void begin(task)}
            >
              {taskWords(task)}
            </Button>
          ))}
        </div>
      </div>
    </form>
  )
}

const isWanted = ({ host, database }: MoveSource): Promise<boolean> =>
  ask({
    title: t('Import {{database}} from {{host}}?', { database, host }),
    content: t('Sallyport goes on meanwhile. Make a backup first. The import can be taken back.'),
    okText: t('Import'),
  })
