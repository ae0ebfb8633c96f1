#include "support/public_rules.h"

#include <stdlib.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define ALNUMS LOWER CAPITALS DIGITS
#define SIGNS "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

/*
 * The rules of gitleaks at commit b58d3f10 that find a token by its own form. 120 of its rules ask
 * for no word beside the token; the last five here have such a word, and a prefix of their own.
 */
const struct public_rule public_rules[] = {
	{"1password-secret-key", "A3-%U6;-%U11;-%U5;-%U5;-%U5;"},
	{"1password-secret-key", "A3-%U6;-%U6;-%U5;-%U5;-%U5;-%U5;"},
	{"1password-service-account-token", "ops_eyJ%B250-310;%[|=|==|===];"},
	{"adobe-client-secret", "p8e-%A32;"},
	{"age-secret-key", "AGE-SECRET-KEY-1%358;"},
	{"airtable-personnal-access-token", "pat%A14;.%H64;"},
	{"alibaba-access-key-id", "LTAI%A20;"},
	{"anthropic-admin-api-key", "sk-ant-admin01-%W93;AA"},
	{"anthropic-api-key", "sk-ant-api03-%W93;AA"},
	{"artifactory-api-key", "AKCp%A69;"},
	{"artifactory-reference-token", "cmVmd%A59;"},
	{"authress-service-client-access-key",
	 "%[sc|ext|scauth|authress];_%A5-30;.%A4-6;.acc%[-|_];%M10-32;.%F30-120;"},
	{"aws-access-token", "A3T%U1;%216;"},
	{"aws-access-token", "%[AKIA|ASIA|ABIA|ACCA];%216;"},
	{"aws-amazon-bedrock-api-key-long-lived", "ABSK%B109-269;%[|=|==];"},
	{"aws-amazon-bedrock-api-key-short-lived", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"},
	{"azure-ad-client-secret", "%T3;%D1;Q~%V31-34;"},
	{"clickhouse-cloud-api-secret-key", "4b1d%A38;"},
	{"clojars-api-token", "CLOJARS_%A60;"},
	{"cloudflare-origin-ca-key", "v1.0-%H24;-%H146;"},
	{"curl-auth-header", "curl %Y0-40; -H \"Authorization: Basic %B8-48;\""},
	{"curl-auth-header",
	 "curl %Y0-40; --header 'Authorization: %[Bearer|Token|Api-Token]; %O8-48;'"},
	{"curl-auth-header", "curl %Y0-40; -H \"Authorization: %O8-48;\""},
	{"curl-auth-header",
	 "curl %Y0-40; -H \"%[X-Api-Key|Api-Token|Key|X-Acme-Token];: %O8-48;\""},
	{"curl-auth-user", "curl %Y0-40; -u \"%P3-20;:%P3-20;\""},
	{"curl-auth-user", "curl %Y0-40; --user '%P3-20;:%P3-20;'"},
	{"curl-auth-user", "curl %Y0-40; -u %N3-20;:%N3-20;"},
	{"databricks-api-token", "dapi%H32;%[|-%D1;];"},
	{"digitalocean-access-token", "doo_v1_%H64;"},
	{"digitalocean-pat", "dop_v1_%H64;"},
	{"digitalocean-refresh-token", "dor_v1_%X64;"},
	{"doppler-api-token", "dp.pt.%A43;"},
	{"duffel-api-token", "duffel_%[test|live];_%Q43;"},
	{"dynatrace-api-token", "dt0c01.%A24;.%A64;"},
	{"easypost-api-token", "EZAK%A54;"},
	{"easypost-test-api-token", "EZTK%A54;"},
	{"facebook-access-token", "%D15-16;%%%W27-40;"},
	{"facebook-access-token", "%D15-16;|%W27-40;"},
	{"facebook-page-access-token", "EAA%[M|C];%A100-160;"},
	{"flutterwave-encryption-key", "FLWSECK_TEST-%812;"},
	{"flutterwave-public-key", "FLWPUBK_TEST-%832;-X"},
	{"flutterwave-secret-key", "FLWSECK_TEST-%832;-X"},
	{"flyio-access-token", "fo1_%W43;"},
	{"flyio-access-token", "%[fm1a|fm1r|fm2];_%B100-160;%[|=|==|===];"},
	{"frameio-api-token", "fio-u-%Q64;"},
	{"freemius-secret-key",
	 "%[\"|'];secret_key%[\"|'];%b0-20;=>%b0-20;%[\"|'];sk_%P29;%[\"|'];"},
	{"gcp-api-key", "AIza%W35;"},
	{"github-app-token", "gh%[u|s];_%A36;"},
	{"github-fine-grained-pat", "github_pat_%N82;"},
	{"github-oauth", "gho_%A36;"},
	{"github-pat", "ghp_%A36;"},
	{"github-refresh-token", "ghr_%A36;"},
	{"gitlab-cicd-job-token", "glcbt-%A1-5;_%W20;"},
	{"gitlab-deploy-token", "gldt-%W20;"},
	{"gitlab-feature-flag-client-token", "glffct-%W20;"},
	{"gitlab-feed-token", "glft-%W20;"},
	{"gitlab-incoming-mail-token", "glimt-%W25;"},
	{"gitlab-kubernetes-agent-token", "glagent-%W50;"},
	{"gitlab-oauth-app-secret", "gloas-%W64;"},
	{"gitlab-pat", "glpat-%W20;"},
	{"gitlab-pat-routable", "glpat-%W27-300;.%S2;%S7;"},
	{"gitlab-ptt", "glptt-%H40;"},
	{"gitlab-rrt", "GR1348941%W20;"},
	{"gitlab-runner-authentication-token", "glrt-%W20;"},
	{"gitlab-runner-authentication-token-routable", "glrt-t%D1;_%W27-300;.%S2;%S7;"},
	{"gitlab-scim-token", "glsoat-%W20;"},
	{"gitlab-session-cookie", "_gitlab_session=%S32;"},
	{"grafana-api-key", "eyJrIjoi%A70-400;%[|=|==|===];"},
	{"grafana-cloud-api-token", "glc_%B32-400;%[|=|==|===];"},
	{"grafana-service-account-token", "glsa_%A32;_%X8;"},
	{"harness-api-key", "%[pat|sat];.%W22;.%A24;.%A20;"},
	{"hashicorp-tf-api-token", "%A14;.atlasv1.%Q60-70;"},
	{"heroku-api-key-v2", "HRKU-AA%W58;"},
	{"huggingface-access-token", "hf_%L34;"},
	{"huggingface-organization-api-token", "api_org_%L34;"},
	{"infracost-api-token", "ico-%A32;"},
	{"intra42-client-secret", "s-s4t2%[ud|af];-%X64;"},
	{"jwt", "ey%A17-77;.ey%J17-77;.%J10-70;"},
	{"jwt", "ey%A17-77;.ey%J17-77;."},
	{"jwt-base64",
	 "ZXlK%[aGJHY2lPaU|aGNIVWlPaU|aGRXUWlPaU|aU5qUWlP|amRIa2lPaU|bGJtTWlPaU|cGMzTWlPaU|"
	 "cmFXUWlP|cmRIa2lPaUp|emRXSWlPaU|MGVYQWlPaUp|NmFYQWlPaU];%R40-100;%[|=|==];"},
	{"kubernetes-secret-yaml",
	 "kind:%[ |  ];%[|\"];Secret%[\n|\"\n];%Y0-100;data:%Y0-40;\n  %N3-20;: %B10-60;%[|=|==];"},
	{"kubernetes-secret-yaml",
	 "data:%Y0-40;\n  %N3-20;: %[\"|];%B10-60;%[|=|==];\n%Y0-100;\nkind: Secret"},
	{"linear-api-key", "lin_api_%A40;"},
	{"maxmind-license-key", "%A6;_%A29;_mmk"},
	{"microsoft-teams-webhook", "https://%S1-61;.webhook.office.com/webhookb2/"
				    "%S8;-%S4;-%S4;-%S4;-%S12;@%S8;-%S4;-%S4;-%S4;-%S12;/"
				    "IncomingWebhook/%S32;/%S8;-%S4;-%S4;-%S4;-%S12;"},
	{"notion-api-token", "ntn_%D11;%A32;%A3;"},
	{"npm-access-token", "npm_%A36;"},
	{"nuget-config-password",
	 "<add key=\"%[ClearText|];Password\"%b1-20;value=\"%Y8-48;\"%b0-20;/>"},
	{"octopus-deploy-api-key", "API-%U26;"},
	{"openai-api-key", "sk-%[proj|svcacct|admin];-%[%W74;|%W58;];T3BlbkFJ%[%W74;|%W58;];"},
	{"openai-api-key", "sk-%A20;T3BlbkFJ%A20;"},
	{"openshift-user-token", "sha256~%W43;"},
	{"perplexity-api-key", "pplx-%A48;"},
	{"planetscale-api-token", "pscale_tkn_%E32-64;"},
	{"planetscale-oauth-token", "pscale_oauth_%E32-64;"},
	{"planetscale-password", "pscale_pw_%E32-64;"},
	{"postman-api-token", "PMAK-%X24;-%X34;"},
	{"prefect-api-token", "pnu_%A36;"},
	{"private-key",
	 "-----BEGIN%Z0-100;PRIVATE KEY%[| BLOCK];-----%y64-124;KEY%[| BLOCK];-----"},
	{"pulumi-api-token", "pul-%H40;"},
	{"pypi-upload-token", "pypi-AgEIcHlwaS5vcmc%W50-1000;"},
	{"readme-api-token", "rdme_%S70;"},
	{"rubygems-api-token", "rubygems_%H48;"},
	{"scalingo-api-token", "tk-us-%W48;"},
	{"sendgrid-api-token", "SG.%E66;"},
	{"sendinblue-api-token", "xkeysib-%H64;-%A16;"},
	{"sentry-org-token", "sntrys_eyJpYXQiO%B10-200;%[LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|"
			     "cmVnaW9uX3VybCI6];%B10-200;%[|=|==];_%B43;"},
	{"sentry-user-token", "sntryu_%H64;"},
	{"settlemint-application-access-token", "sm_aat_%A16;"},
	{"settlemint-personal-access-token", "sm_pat_%A16;"},
	{"settlemint-service-access-token", "sm_sat_%A16;"},
	{"shippo-api-token", "shippo_%[live|test];_%X40;"},
	{"shopify-access-token", "shpat_%X32;"},
	{"shopify-custom-access-token", "shpca_%X32;"},
	{"shopify-private-app-access-token", "shppa_%X32;"},
	{"shopify-shared-secret", "shpss_%X32;"},
	{"sidekiq-sensitive-url",
	 "http%[|s];://%X8;:%X8;@%[gems|enterprise];.contribsys.com%[/|#|?|:|];"},
	{"slack-app-token", "xapp-%D1;-%A1-61;-%D1-61;-%A1-61;"},
	{"slack-bot-token", "xoxb-%D10-13;-%D10-13;%M0-60;"},
	{"slack-config-access-token", "xoxe.xox%[b|p];-%D1;-%A163-166;"},
	{"slack-config-refresh-token", "xoxe-%D1;-%A146;"},
	{"slack-legacy-bot-token", "xoxb-%D8-14;-%A18-26;"},
	{"slack-legacy-token", "xox%[o|s];-%D1-61;-%D1-61;-%D1-61;-%X1-61;"},
	{"slack-legacy-workspace-token", "xox%[a|r];-%[|%D1;-];%A8-48;"},
	{"slack-user-token", "xox%[p|e];-%D10-13;-%D10-13;-%D10-13;-%M28-34;"},
	{"slack-webhook-url",
	 "%[|http://|https://];hooks.slack.com/%[services|workflows|triggers];/%B43-56;"},
	{"sourcegraph-access-token", "sgp_%[%X16;|local];_%X40;"},
	{"sourcegraph-access-token", "sgp_%X40;"},
	{"sourcegraph-access-token", "%X40;"},
	{"square-access-token", "%[EAAA|sq0atp-];%W22-60;"},
	{"stripe-access-token", "%[sk|rk];_%[test|live|prod];_%A10-99;"},
	{"twilio-api-key", "SK%X32;"},
	{"vault-batch-token", "hvb.%W138-300;"},
	{"vault-service-token", "hvs.%W90-120;"},
	{"vault-service-token", "s.%A24;"},
	{"atlassian-api-token", "ATATT3%Q186;"},
	{"defined-networking-api-token", "dnkey-%Q26;-%Q52;"},
	{"new-relic-browser-api-token", "NRJS-%H19;"},
	{"new-relic-insert-key", "NRII-%M32;"},
	{"new-relic-user-api-key", "NRAK-%U27;"},
	{NULL, NULL},
};

static const struct {
	char kind;
	const char *alphabet;
} alphabets[] = {
	{'D', DIGITS},
	{'L', LOWER CAPITALS},
	{'H', DIGITS "abcdef"},
	{'X', DIGITS "abcdefABCDEF"},
	{'8', DIGITS "abcdefghABCDEFGH"},
	{'2', CAPITALS "234567"},
	{'3', "ACDEFGHJKLMNPQRSTUVWXYZ"
	      "023456789"},
	{'U', CAPITALS DIGITS},
	{'S', LOWER DIGITS},
	{'A', ALNUMS},
	{'N', ALNUMS "_"},
	{'M', ALNUMS "-"},
	{'W', ALNUMS "_-"},
	{'Q', ALNUMS "_-="},
	{'E', ALNUMS "_-=."},
	{'T', ALNUMS "_~."},
	{'V', ALNUMS "_~.-"},
	{'O', ALNUMS "_=~@.+/-"},
	{'B', ALNUMS "+/"},
	{'F', ALNUMS "+/_=-"},
	{'J', ALNUMS "_-/\\"},
	{'R', ALNUMS "_-/\\+\r\n"},
	{'Z', CAPITALS DIGITS " _-"},
	{'P', ALNUMS SIGNS},
	{'Y', ALNUMS SIGNS " \t"},
	{'y', ALNUMS SIGNS " \t\r\n"},
	{'b', " \t\r\n"},
};

static const char *alphabet_of(char kind)
{
	for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
		if (alphabets[i].kind == kind)
			return alphabets[i].alphabet;
	}
	abort();
}

static size_t below(uint64_t *state, size_t count)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(*state >> 33) % count;
}

/* %A10; %A10-20; : returns what stands behind. */
static const char *add_run(const char *at, uint64_t *state, struct str *out)
{
	const char *alphabet = alphabet_of(*at++);
	char *end;
	size_t min = strtoul(at, &end, 10);
	size_t max = *end == '-' ? strtoul(end + 1, &end, 10) : min;

	if (*end != ';' || max < min)
		abort();
	for (size_t i = min + below(state, max - min + 1); i > 0; i--)
		str_addc(out, alphabet[below(state, strlen(alphabet))]);
	return end + 1;
}

/* %[one|two|]; : one of them, which may have runs. */
static const char *add_choice(const char *at, uint64_t *state, struct str *out)
{
	const char *end = strstr(at, "];");
	STR_AUTO one = STR_INIT;
	STR_AUTO made = STR_INIT;
	const char *from = at;
	size_t count = 1;

	if (!end)
		abort();
	for (const char *p = at; p < end; p++)
		count += *p == '|';
	for (size_t skip = below(state, count); skip > 0; from++)
		skip -= *from == '|';
	for (; from < end && *from != '|'; from++)
		str_addc(&one, *from);
	public_rule_make(one.ptr, state, &made);
	str_add(out, str_slice(&made));
	return end + 2;
}

void public_rule_make(const char *pattern, uint64_t *state, struct str *out)
{
	str_clear(out);
	while (*pattern) {
		if (*pattern != '%')
			str_addc(out, *pattern++);
		else if (pattern[1] == '[')
			pattern = add_choice(pattern + 2, state, out);
		else if (pattern[1] != '%')
			pattern = add_run(pattern + 1, state, out);
		else {
			str_addc(out, '%');
			pattern += 2;
		}
	}
}
