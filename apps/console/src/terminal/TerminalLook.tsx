import './terminal-look.css'
import { useId } from 'react'
import { Select } from '../design/boxes/Select.tsx'
import { t } from '../lib/i18n.ts'
import type { Preferences } from './screen/preferences.ts'
import { FONT_NAMES, type FontName, type ThemeName } from './screen/theme-names.ts'
import { fontFamilyOf, THEMES, themeOf } from './screen/themes.ts'

const TITLES: Readonly<Record<ThemeName, () => string>> = {
  dark: () => t('Dark@@terminal'),
  light: () => t('Light@@terminal'),
  black: () => t('High contrast'),
  paper: () => t('Paper@@terminal'),
  night: () => t('Night blue'),
}

interface TerminalLookProps {
  preferences: Preferences
  onChange: (preferences: Preferences) => void
}

/** Letters and colors of terminals, with a picture of what they make. */
export function TerminalLook({ preferences, onChange }: TerminalLookProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={`${id}-font`}>{t('Font')}</label>
      <Select<FontName>
        id={`${id}-font`}
        value={preferences.font}
        onChange={(font) => onChange({ ...preferences, font })}
        options={[
          { value: 'auto', label: t('Best one on this computer') },
          ...FONT_NAMES.map((name) => ({ value: name, label: name })),
        ]}
      />
      <fieldset className="wt-themes">
        <legend>{t('Colors')}</legend>
        {THEMES.map(({ name, colors }) => (
          <label key={name}>
            <input
              type="radio"
              name={`${id}-theme`}
              checked={preferences.theme === name}
              onChange={() => onChange({ ...preferences, theme: name })}
            />
            <span className="wt-theme" style={{ background: colors.background, color: colors.foreground }}>
              {TITLES[name]()}
            </span>
          </label>
        ))}
      </fieldset>
      <Preview preferences={preferences} />
    </>
  )
}

/** Some lines as a terminal would draw them. */
function Preview({ preferences: { font, fontSize, theme } }: Pick<TerminalLookProps, 'preferences'>) {
  const { background, foreground, green, blue, red, yellow } = themeOf(theme).colors
  return (
    <pre
      className="wt-preview"
      aria-hidden="true"
      style={{ background, color: foreground, fontFamily: fontFamilyOf(font), fontSize }}
    >
      <span style={{ color: green ?? '#4e9a06' }}>deploy@web-01</span>:<span style={{ color: blue }}>~</span>$ ls -l
      {'\n'}-rw-r--r-- 1 deploy 4096 0Oo 1lI| {'{}[]()'} 中文{'\n'}
      <span style={{ color: red }}>error</span> <span style={{ color: yellow ?? '#c4a000' }}>warning</span> https://…
    </pre>
  )
}
