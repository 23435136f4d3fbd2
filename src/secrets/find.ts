// What is unmistakably a secret by how it looks or by what stands around it. Pure. The well-known formats are those that their
// makers document; each is looked for only where its first letters stand at the beginning of a word.

export type Found = {
  /** Where the value stands in the text. */
  readonly start: number
  readonly end: number
  /** A word for its name: github, bearer, private-key. */
  readonly kind: string
  /** It can't be an ordinary word, so it is to be taken out of every text. */
  readonly everywhere: boolean
}

type Pattern = {
  readonly kind: string
  /** Its group `v` is the secret. */
  readonly look: RegExp
  /** Cheap: a text without it can't hold one. */
  readonly hint: RegExp
  /** Default: it is one, and everywhere. */
  readonly judge?: (value: string) => 'no' | 'here' | 'everywhere'
}

/** In the order of the text, without overlaps: of two at the same place the one that is earlier in the table counts. */
export function findSecrets(text: string): readonly Found[] {
  if (!anyHint.test(text)) return []
  const found: Found[] = []
  for (const pattern of patterns) {
    if (!pattern.hint.test(text)) continue
    for (const match of text.matchAll(pattern.look)) {
      const place = match.indices?.groups?.['v']
      const judged = pattern.judge?.(match.groups?.['v'] ?? '') ?? 'everywhere'
      if (place === undefined || judged === 'no') continue
      found.push({ start: place[0], end: place[1], kind: pattern.kind, everywhere: judged === 'everywhere' })
    }
  }
  return withoutOverlaps(found)
}

function withoutOverlaps(found: readonly Found[]): readonly Found[] {
  const kept: Found[] = []
  for (const one of [...found].sort((a, b) => a.start - b.start)) if (one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one)
  return kept
}

/** The beginning of a word, also behind an escaped line end or sign: `\n`, `%3D`. */
const begin = '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrtf])|(?<=%[0-9A-Fa-f]{2}))'

/** Something that begins so, at the beginning of a word, and goes on with so many of those letters. */
function prefixed(kind: string, prefixes: string, rest: string): Pattern {
  return { kind, look: new RegExp(`${begin}(?<v>(?:${prefixes})${rest})(?![A-Za-z0-9_])`, 'gd'), hint: new RegExp(prefixes) }
}

const wellKnown: readonly Pattern[] = [
  prefixed('github', 'gh[pousr]_', '[A-Za-z0-9]{16,255}'),
  prefixed('github', 'github_pat_', '[A-Za-z0-9_]{20,255}'),
  prefixed('gitlab', 'gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-', '[A-Za-z0-9_.=-]{16,300}'),
  prefixed('anthropic', 'sk-ant-', '[A-Za-z0-9_-]{8,300}'),
  prefixed('openrouter', 'sk-or-', '[A-Za-z0-9_-]{16,300}'),
  prefixed('openai', 'sk-(?:proj|svcacct|admin)-', '[A-Za-z0-9_-]{16,300}'),
  { ...prefixed('openai', 'sk-', '[A-Za-z0-9_-]{16,300}'), judge: (value) => (isKeyLike(value.slice(3)) ? 'everywhere' : 'no') },
  prefixed('stripe', '[sr]k_(?:live|test|prod)_|whsec_', '[A-Za-z0-9+/=]{16,250}'),
  prefixed('slack', 'xox[abceoprs]-|xapp-', '[A-Za-z0-9-]{10,300}'),
  prefixed('aws', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}'),
  prefixed('google', 'AIza', '[A-Za-z0-9_-]{35}'),
  prefixed('google', 'ya29\\.|GOCSPX-', '[A-Za-z0-9_-]{16,2000}'),
  prefixed('npm', 'npm_', '[A-Za-z0-9]{20,100}'),
  prefixed('huggingface', 'hf_', '[A-Za-z0-9]{20,100}'),
  prefixed('pypi', 'pypi-', '[A-Za-z0-9_-]{50,300}'),
  prefixed('sendgrid', 'SG\\.', '[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,100}'),
  prefixed('digitalocean', 'do[por]_v1_', '[a-f0-9]{64}'),
  prefixed('docker', 'dckr_(?:pat|oat)_', '[A-Za-z0-9_-]{16,100}'),
  prefixed('shopify', 'shp(?:at|ca|pa|ss)_', '[A-Fa-f0-9]{32}'),
  prefixed('groq', 'gsk_', '[A-Za-z0-9]{32,100}'),
  prefixed('xai', 'xai-', '[A-Za-z0-9]{40,120}'),
  prefixed('perplexity', 'pplx-', '[A-Za-z0-9]{32,100}'),
  prefixed('linear', 'lin_(?:api|oauth)_', '[A-Za-z0-9]{32,100}'),
  prefixed('vault', 'hv[sb]\\.', '[A-Za-z0-9_-]{20,300}'),
  prefixed('age', 'AGE-SECRET-KEY-1', '[0-9A-Z]{50,80}'),
  prefixed('telegram', '[0-9]{8,10}:AA', '[A-Za-z0-9_-]{32,34}'),
  prefixed('steward', 'stw_', '[A-Za-z0-9_-]{20,100}'),
]

/** A header's value ends where the line, the quotes or the word do; in prose more words follow, and it is a secret only if it looks like one. */
const around: readonly Pattern[] = [
  {
    kind: 'private-key',
    hint: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/,
    look: /(?<v>-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S]){3,20000}(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?)/dg,
    judge: judgeKeyBlock,
  },
  {
    kind: 'bearer',
    hint: /uthorization/i,
    look: /authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|token|apikey|api-key|bot)[ \t]{1,4}(?<v>[A-Za-z0-9._~+/=:-]{1,8000})(?=$|[\r\n"'`\\,;)\]}<]|[ \t]+(?:$|[\r\n"'`\\-]))/dgim,
    judge: judgeGiven,
  },
  {
    kind: 'authorization',
    hint: /uthorization/i,
    look: /authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?<v>[A-Za-z0-9._~+/=-]{16,8000})(?=$|[\r\n"'`\\,;)\]}])/dgim,
    judge: judgeStrong,
  },
  {
    kind: 'basic',
    hint: /uthorization/i,
    look: /authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?basic[ \t]{1,4}(?<v>[A-Za-z0-9+/_-]{4,8000}={0,2})(?=$|[\s"'`\\,;)\]}<])/dgim,
    judge: (value) => (Buffer.from(value, 'base64').includes(':') ? strengthOf(value) : 'no'),
  },
  {
    kind: 'bearer',
    hint: /bearer\s/i,
    look: /\bbearer[ \t]{1,4}(?<v>eyJ[A-Za-z0-9_-]{4,4000}\.[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,4000})?|[A-Za-z0-9._~+/-]{20,4000}={0,2})/dgi,
    judge: (value) => (value.startsWith('eyJ') || isKeyLike(value) ? 'everywhere' : 'no'),
  },
  {
    kind: 'cookie',
    hint: /cookie:/i,
    look: /^[ \t<>*]{0,4}(?:set-)?cookie:[ \t]{0,4}(?<v>[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}=[^\r\n"'`]{1,8000})$/dgim,
    judge: strengthOf,
  },
  {
    kind: 'header',
    hint: /(?:-key|-token|-secret):/i,
    look: /^[ \t<>*]{0,4}(?:x|api|private|proxy)-[a-z-]{0,40}(?:key|token|secret):[ \t]{1,4}(?<v>[^\s"'`]{1,4000})$/dgim,
    judge: judgeGiven,
  },
  {
    kind: 'url',
    hint: /:\/\/[^\s/@]{1,300}:/,
    look: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"'`<>]{0,200}:(?<v>[^\s/@"'`<>]{1,500})@[A-Za-z0-9[]/dgi,
    judge: judgeGiven,
  },
  {
    kind: 'url',
    hint: /[?&][a-z_-]{0,30}(?:token|secret|key|password|signature)=/i,
    look: /[?&](?:access[_-]?token|auth[_-]?token|api[_-]?key|client[_-]?secret|secret|password|x-amz-signature|token|key)=(?<v>[^\s&#"'`<>]{8,4000})/dgi,
    judge: (value) => (strengthOf(value) === 'everywhere' ? 'everywhere' : 'no'),
  },
  {
    kind: 'azure',
    hint: /AccountKey=/,
    look: /AccountKey=(?<v>[A-Za-z0-9+/]{60,100}={0,2})/dg,
  },
  {
    kind: 'env',
    hint: /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)=/,
    look: /(?:^|[\s;&"'`(])(?:[A-Z0-9]+_)*(?:API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)=\\?["']?(?<v>[^\s"'`;&|<>(){}$\\]{1,4000})/dgm,
    judge: judgeGiven,
  },
  {
    kind: 'env',
    hint: /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)[ \t]/,
    look: /(?:^|[\s;&"'`(])(?:[A-Z0-9]+_)*(?:API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)[ \t]{1,3}=[ \t]{0,3}["']?(?<v>[^\s"'`;&|<>(){}$\\]{16,4000})/dgm,
    judge: judgeStrong,
  },
] // biome-ignore format: a table

const patterns: readonly Pattern[] = [...around, ...wellKnown]
/** One look for all of them: what ordinary text is let through by. */
const anyHint = new RegExp(
  '-----BEGIN|[Bb]earer|BEARER|uthorization|UTHORIZATION|ookie:|-[Kk]ey:|-[Tt]oken:|-[Ss]ecret:|://[^\\s/@]{1,300}:|(?:[Tt]oken|[Kk]ey|[Ss]ecret|assword|ignature)=|' +
    '(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)[ \\t]{0,3}=|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|sk-|[sr]k_|whsec_|xox|xapp-|A(?:KIA|SIA|BIA|CCA)|' +
    'AIza|ya29|GOCSPX|npm_|hf_|pypi-|SG\\.|do[por]_v1|dckr_|shp[acps]|gsk_|xai-|pplx-|lin_|hv[sb]\\.|AGE-S|:AA|stw_',
)

/** What stands where only a secret stands. A word that only says what should stand there is none. */
function judgeGiven(value: string): 'no' | 'here' | 'everywhere' {
  return placeholder.test(value) ? 'no' : strengthOf(value)
}

/** Where other things stand too: only what looks like a key. */
function judgeStrong(value: string): 'no' | 'everywhere' {
  return !placeholder.test(value) && strengthOf(value) === 'everywhere' && isKeyLike(value) ? 'everywhere' : 'no'
}

/** A block that is closed is one however short it is; "..." between the lines is none. */
function judgeKeyBlock(value: string): 'no' | 'here' | 'everywhere' {
  const [body = '', end = ''] = value.split(/KEY(?: BLOCK)?-----/).slice(1)
  const letters = body.replace(/\\[nr]|-----END[\s\S]*$/g, '')
  if (/[A-Za-z0-9+/]{16}/.test(letters)) return 'everywhere'
  return end === '' && body.includes('-----END') && /^[A-Za-z0-9+/=\s]{3,}$/.test(letters) && letters.trim() !== '' ? 'here' : 'no'
}

const placeholder =
  /^(?:x{3,}|\*+|\.{2,}|-+|_+|\[.*|\{.*|<.*|\$.*|%.*|#.*|(?:your|my|the|some|a|an|example|sample|dummy|fake|test)[-_].*|(?:your|my)?(?:[-_]?(?:api|access|auth|secret|github|bearer))*[-_]?(?:token|key|secret|pass|passwd|password|jwt|value)|change[-_]?me|replace[-_]?me|todo|none|null|nil|undefined|true|false|redacted|…)$/i

/** A word of a dictionary may be a password where it stands, but it is still a word everywhere else. */
function strengthOf(value: string): 'here' | 'everywhere' {
  return value.length >= 16 && /[0-9]/.test(value) && /[A-Za-z]/.test(value) ? 'everywhere' : 'here'
}

/** Words joined by dashes are no key; letters and digits mixed in one long piece are. */
function isKeyLike(value: string): boolean {
  const digits = value.replace(/[^0-9]/g, '').length
  return (digits >= 2 && /[A-Za-z]/.test(value) && /[A-Za-z0-9_]{10}/.test(value)) || /[A-Za-z0-9]{32}/.test(value)
}
