import { WIRE } from '@sallyport/contract/constants.ts'
import { MenuIcon } from 'lucide-react'
import { type MenuItem, useMenu } from '../design/popups/menu.tsx'
import { type Language, language, switchLanguage, t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import type { Tabs } from './tabs/tabs.ts'

export interface TopBarProps {
  settings: PublicSettings
  tabs: Tabs
  leftShown: boolean
  onToggleLeft: () => void
  onFullScreen: () => void
  onSettings: () => void
  onActivate: (id: number) => void
}

/** The bar on top: logo and menus. */
export function TopBar({ settings, tabs, leftShown, onToggleLeft, onFullScreen, onSettings, onActivate }: TopBarProps) {
  const toggleText = leftShown ? t('Hide the asset list') : t('Show the asset list')
  return (
    <header className="wt-top">
      <button
        type="button"
        className="wt-top-item"
        aria-label={toggleText}
        title={toggleText}
        aria-expanded={leftShown}
        onClick={onToggleLeft}
      >
        <MenuIcon />
      </button>
      <a className="wt-logo" href="/ui/" title={t('Console')}>
        {settings.LOGO_URLS?.logo_logout ? (
          <img src={settings.LOGO_URLS.logo_logout} alt={t('Console')} />
        ) : (
          settings.LOGIN_TITLE || 'Sallyport'
        )}
      </a>
      <BarMenu
        label={t('File manager')}
        items={[{ key: 'connect', label: t('Connect'), href: WIRE.fileManagerBase }]}
      />
      <BarMenu
        label={t('View')}
        items={[
          { key: 'left', label: toggleText },
          {
            key: 'full',
            label: t('Full screen'),
            ...(tabs.active === undefined ? { disabled: true, title: t('No tab is open.') } : {}),
          },
        ]}
        onChoose={(key) => (key === 'left' ? onToggleLeft() : onFullScreen())}
      />
      <BarMenu
        label={t('Language')}
        selected={language()}
        items={[
          { key: 'en', label: 'English' },
          { key: 'cn', label: '中文' },
        ]}
        onChoose={(key) => switchLanguage(key as Language)}
      />
      <button type="button" className="wt-top-item" onClick={onSettings}>
        {t('Setting')}
      </button>
      <HelpMenu settings={settings} />
      {tabs.list.length > 0 && (
        <BarMenu
          label={t('Tabs')}
          selected={String(tabs.active)}
          items={tabs.list.map(({ id, name, state }) => ({
            key: String(id),
            label: state === 'disconnected' ? `${name} (${t('Disconnected')})` : name,
          }))}
          onChoose={(key) => onActivate(Number(key))}
        />
      )}
    </header>
  )
}

/** Links of the site to help, and the clients that people may use. */
function HelpMenu({ settings }: { settings: PublicSettings }) {
  const links = [
    { url: settings.HELP_DOCUMENT_URL, label: t('Document') },
    { url: settings.HELP_SUPPORT_URL, label: t('Support') },
    { url: '/core/download/', label: t('Tool download') },
  ].filter(({ url }) => url)
  return <BarMenu label={t('Help')} items={links.map(({ url, label }) => ({ key: label, label, href: url }))} />
}

interface BarMenuProps {
  label: string
  items: readonly MenuItem[]
  /** Key of the item that holds now. */
  selected?: string
  onChoose?: (key: string) => void
}

function BarMenu({ label, items, selected, onChoose = () => {} }: BarMenuProps) {
  const { trigger, popup } = useMenu({ items, chosen: selected ? [selected] : [], onChoose })
  return (
    <>
      <button {...trigger} type="button" className="wt-top-item">
        {label}
      </button>
      {popup}
    </>
  )
}
