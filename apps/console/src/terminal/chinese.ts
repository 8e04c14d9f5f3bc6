/** The Chinese texts of these pages, fetched only for people who read Chinese. */
import files from '../locales/cn/files.json'
import terminal from '../locales/cn/terminal.json'

export const catalog = { ...terminal, ...files }
