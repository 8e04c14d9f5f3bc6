import { type ReactNode, useId, useState } from 'react'
import { NativeSelect } from '../../../design/boxes/NativeSelect.tsx'
import { t } from '../../../lib/i18n.ts'
import { ChangedLines } from '../ChangedLines.tsx'
import { plainOutput } from '../plain-output.ts'
import styles from './batch-command.module.css'
import type { OutcomeGroup } from './outcome-groups.ts'

export interface CompareHostsProps {
  /** Groups of ended machines, the largest first. */
  groups: readonly OutcomeGroup[]
}

/** Two machines of a run beside each other: which lines only one of them has. */
export function CompareHosts({ groups }: CompareHostsProps) {
  const written = groups.filter(({ output }) => output !== undefined)
  const [most, other] = written
  const [left, setLeft] = useState<string>()
  const [right, setRight] = useState<string>()
  if (!most || !other) return null
  const leftId = left ?? most.hosts[0]?.asset ?? ''
  const rightId = right ?? other.hosts[0]?.asset ?? ''
  const [one, two] = [textOf(written, leftId), textOf(written, rightId)]
  return (
    <section className={`panel ${styles.batchCompare}`} aria-label={t('Compare two assets')}>
      <h2>{t('Compare two assets')}</h2>
      <div className={styles.batchCompareWho}>
        <HostSelect label={t('First asset')} sign="−" {...{ groups: written }} value={leftId} onChange={setLeft} />
        <HostSelect label={t('Second asset')} sign="+" {...{ groups: written }} value={rightId} onChange={setRight} />
      </div>
      {one === two ? (
        <p className="quiet" role="status">
          {t('Both gave the same output.')}
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too
        <pre tabIndex={0}>
          <ChangedLines before={one} after={two} />
        </pre>
      )}
    </section>
  )
}

/** The output of a machine, and its exit code or reason if it failed. */
function textOf(groups: readonly OutcomeGroup[], asset: string): string {
  const group = groups.find(({ hosts }) => hosts.some((host) => host.asset === asset))
  const { stdout = '', stderr = '' } = group?.output ?? {}
  const end = group?.error || (group?.code ? t('exit code {{code}}', { code: group.code }) : '')
  return [stdout, stderr, end]
    .filter(Boolean)
    .map((text) => plainOutput(text).replace(/\n$/, ''))
    .join('\n')
}

interface HostSelectProps extends CompareHostsProps {
  label: string
  sign: ReactNode
  value: string
  onChange: (asset: string) => void
}

/** The machines of a run, by groups that gave the same. */
function HostSelect({ label, sign, groups, value, onChange }: HostSelectProps) {
  const id = useId()
  return (
    <label htmlFor={id}>
      <span>
        {sign} {label}
      </span>
      <NativeSelect id={id} value={value} onChange={onChange}>
        {groups.map(({ key, hosts }, at) => (
          <optgroup
            key={key}
            label={t('Output {{number}}: {{count|asset|assets}}', { number: at + 1, count: hosts.length })}
          >
            {hosts.map(({ asset, name }) => (
              <option key={asset} value={asset}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </NativeSelect>
    </label>
  )
}
