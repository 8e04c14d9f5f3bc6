import { type ComponentType, useLayoutEffect } from 'react'
import { language, switchLanguage } from '../../lib/i18n.ts'
import { Toggle } from '../Button.tsx'
import { prefer, usePreferences } from '../look/preferences.ts'
import styles from './Gallery.module.css'

const files = import.meta.glob<ComponentType>('./*.gallery.tsx', { eager: true, import: 'default' })

/** The examples of each control, by its name. */
const sections = Object.entries(files).map(([file, Examples]) => ({
  title: file.replace(/^\.\/|\.gallery\.tsx$/g, ''),
  Examples,
}))

/**
 * Every control in all its states, for people who develop the console: `/ui/design` of the
 * development server. Its own words are English, as the names of controls are.
 */
export function Gallery() {
  const { theme, density } = usePreferences()
  useLayoutEffect(() => {
    document.title = 'Controls'
  }, [])
  return (
    <main className={styles.page}>
      <header className={styles.head}>
        <h1>Controls</h1>
        <Toggle
          value={theme}
          choices={named(['system', 'light', 'dark'])}
          onChange={(next) => prefer({ theme: next })}
        />
        <Toggle
          value={density}
          choices={named(['comfortable', 'compact'])}
          onChange={(next) => prefer({ density: next })}
        />
        <Toggle value={language()} choices={named(['cn', 'en'])} onChange={switchLanguage} />
      </header>
      <nav className={styles.list} aria-label="Controls">
        {sections.map(({ title }) => (
          <a key={title} href={`#${title}`}>
            {title}
          </a>
        ))}
      </nav>
      {sections.map(({ title, Examples }) => (
        <section key={title} id={title} aria-label={title}>
          <h2>{title}</h2>
          <div className={styles.examples}>
            <Examples />
          </div>
        </section>
      ))}
    </main>
  )
}

const named = <const Value extends string>(values: readonly Value[]) => values.map((value) => ({ value, label: value }))
