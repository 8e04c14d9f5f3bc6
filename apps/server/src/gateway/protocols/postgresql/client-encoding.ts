/** Names of PostgreSQL's encodings (§23.3) that have another among the web's. */
const NAMES: Readonly<Record<string, string>> = {
  EUC_CN: 'gbk',
  EUC_JP: 'euc-jp',
  EUC_KR: 'euc-kr',
  GB18030: 'gb18030',
  GBK: 'gbk',
  BIG5: 'big5',
  SJIS: 'shift_jis',
  UHC: 'euc-kr',
  LATIN1: 'latin1',
  LATIN2: 'iso-8859-2',
  LATIN5: 'windows-1254',
  KOI8R: 'koi8-r',
  WIN1250: 'windows-1250',
  WIN1251: 'windows-1251',
  WIN1252: 'windows-1252',
}

/** What the client's texts are encoded in; what is unknown is read as UTF-8. */
export class ClientEncoding {
  #decoder = new TextDecoder()
  #isUtf8 = true

  /** The server's name for it. */
  set(name: string): void {
    this.#isUtf8 = !(name in NAMES)
    this.#decoder = new TextDecoder(NAMES[name] ?? 'utf-8')
  }

  readonly decode = (bytes: Buffer): string => (this.#isUtf8 ? bytes.toString() : this.#decoder.decode(bytes))

  /** Words of our own: there is no encoder for the others, but all of them have ASCII. */
  readonly encodable = (words: string): string => (this.#isUtf8 ? words : words.replaceAll(/[^\x20-\x7e]/g, '?'))
}
