# Makes C source of the style sheet of the report: awk -v hash=HEX -f page_style.awk style.css
#
# Comments, indentation and line breaks go; see src/cli/report/report.h. hash is of what is left, which a
# first run with -v plain=1 prints: a page names it, so that no other style is applied.

function base64(hex,    digits, alphabet, bits, out, i, n, at) {
	digits = "0123456789abcdef"
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	# Three hex digits are two of base64; a hash has 64, which leaves one.
	for (i = 1; i <= length(hex); i += 3) {
		n = 0
		for (at = i; at < i + 3; at++)
			n = n * 16 + (at <= length(hex) ? index(digits, substr(hex, at, 1)) - 1 : 0)
		out = out substr(alphabet, int(n / 64) + 1, 1) substr(alphabet, n % 64 + 1, 1)
	}
	return substr(out, 1, 43) "="
}

{
	gsub(/\/\*[^*]*\*\//, "")
	gsub(/^[ \t]+|[ \t]+$/, "")
	if (/\\|"|\/\*|\*\//) {
		printf "%s:%d: a comment in one line, and no quote or backslash\n", FILENAME, FNR >"/dev/stderr"
		failed = 1
		exit 1
	}
	if ($0 != "")
		lines[++count] = $0
}

END {
	if (failed)
		exit 1
	if (plain) {
		for (i = 1; i <= count; i++)
			printf "%s\n", lines[i]
		exit
	}
	print "/* Made from data/report/style.css by src/cli/report/page_style.awk; do not edit. */"
	print "#include \"cli/report/report.h\"\n\nconst char page_style[] ="
	for (i = 1; i <= count; i++)
		printf "\t\"%s\\n\"%s\n", lines[i], i == count ? ";" : ""
	printf "const char page_style_hash[] = \"%s\";\n", base64(hash)
}
