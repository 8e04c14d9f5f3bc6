import type { RefObject } from 'react'
import { t } from '../../lib/i18n.ts'
import type { FormFields } from '../view/form-groups.ts'
import styles from './FormContents.module.css'

/** A form with fewer groups is seen whole soon enough. */
const LONG = 5

interface FormContentsProps {
  form: RefObject<HTMLFormElement | null>
  groups: readonly FormFields[]
}

/** The groups of a long form: a press leads to one, and opens it where it is folded. */
export function FormContents({ form, groups }: FormContentsProps) {
  const titled = groups.filter(({ title }) => title)
  if (titled.length < LONG) return null
  const goTo = (title: string) => {
    const groups = [...(form.current?.querySelectorAll<HTMLElement>('[data-group]') ?? [])]
    const group = groups.find(({ dataset }) => dataset.group === title)
    group?.querySelector<HTMLElement>('h2 > [aria-expanded=false]')?.click()
    group?.scrollIntoView({ block: 'start' })
    group?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }
  return (
    <nav className={styles.contents} aria-label={t('Parts of the form')}>
      {titled.map(({ title }) => (
        <button key={title} type="button" onClick={() => goTo(title)}>
          {t(title)}
        </button>
      ))}
    </nav>
  )
}
